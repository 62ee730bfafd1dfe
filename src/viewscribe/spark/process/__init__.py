"""Process table functions at work: one driver, over batches, in table functions, over streams.

===================  =============================================================================
``plan.py``          what a task needs to know of a call
``timers.py``        the timers of a partition, and the order in which they fire
``driver.py``        calls ``eval``, ``on_timer`` and ``finish``; holds the state of a partition
``values.py``        values between Arrow and Python
``reading.py``       batches as rows of partitions
``results.py``       what was collected, as batches
``shapes.py``        which classes the values of a state are of
``plain.py``         values as plain data, by their types
``kept.py``          a partition between micro-batches
``packing.py``       rows as text, on their way through Spark's state
``batch.py``         a call as a DataFrame
``ordered.py``       the processor that Spark calls over a stream
``streaming.py``     a call over a stream as a DataFrame, and what a stream cannot have
``table_function.py``  a call as SQL text has it
===================  =============================================================================

All before ``batch.py`` run without Spark, so that they are tested, and functions are, without it.
"""
