"""Process table functions at work: one driver, over batches, in table functions, over streams.

===================  =============================================================================
``plan.py``          what a task needs to know of a call
``timers.py``        the timers of a partition, and the order in which they fire
``driver.py``        calls ``eval``, ``on_timer`` and ``finish``; holds the state of a partition
``values.py``        values between Arrow and Python
``reading.py``       batches as rows of partitions
``results.py``       what was collected, as batches
``batch.py``         a call as a DataFrame
``table_function.py``  a call as SQL text has it
===================  =============================================================================

The first six import no pyspark, so that they are tested, and functions are, without Spark.
"""
