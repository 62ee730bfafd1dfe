"""Spark's expression classes and the functions they are calls of.

Listed are the classes whose nodes among the arguments are the arguments of the call, in that order.
Where a class stands for several functions, Spark notes the name that was called, and that wins.
"""

from __future__ import annotations

_CALLS = """
Abs=abs Acos=acos Acosh=acosh Add=plus AddMonths=add_months ApproxTopK=approx_top_k
ApproxTopKAccumulate=approx_top_k_accumulate ApproxTopKCombine=approx_top_k_combine
ApproxTopKEstimate=approx_top_k_estimate ApproximatePercentile=percentile_approx
ArrayAppend=array_append ArrayCompact=array_compact ArrayContains=array_contains
ArrayDistinct=array_distinct ArrayExcept=array_except ArrayExists=exists ArrayFilter=filter
ArrayForAll=forall ArrayInsert=array_insert ArrayIntersect=array_intersect ArrayJoin=array_join
ArrayMax=array_max ArrayMin=array_min ArrayPosition=array_position ArrayPrepend=array_prepend
ArrayRemove=array_remove ArrayRepeat=array_repeat ArraySize=array_size ArrayTransform=transform
ArrayUnion=array_union ArraysOverlap=arrays_overlap Ascii=ascii Asin=asin Asinh=asinh
AssertTrue=assert_true Atan=atan Atan2=atan2 Atanh=atanh Average=avg BRound=bround
Base32=to_base32 Base64=base64 Between=between Bin=bin BitAndAgg=bit_and BitLength=bit_length
BitOrAgg=bit_or BitXorAgg=bit_xor BitmapAndAgg=bitmap_and_agg
BitmapBitPosition=bitmap_bit_position BitmapBucketNumber=bitmap_bucket_number
BitmapConstructAgg=bitmap_construct_agg BitmapCount=bitmap_count BitmapOrAgg=bitmap_or_agg
BitwiseAnd=bitwise_and BitwiseCount=bit_count BitwiseGet=getbit BitwiseNot=bitwise_not
BitwiseOr=bitwise_or BitwiseXor=bitwise_xor BoolAnd=bool_and BoolOr=bool_or
CallMethodViaReflection=java_method CaseWhen=case Cbrt=cbrt Ceil=ceil Chr=chr Coalesce=coalesce
Collation=collation Concat=concat ConcatWs=concat_ws Contains=contains Conv=conv
ConvertTimezone=convert_timezone Corr=corr Cos=cos Cosh=cosh Cot=cot CountIf=count_if
CountMinSketchAgg=count_min_sketch CounterDiff=counter_diff
CounterDiffWithStartTime=counter_diff CovPopulation=covar_pop
CovSample=covar_samp Crc32=crc32 CreateArray=array CreateMap=map Csc=csc CumeDist=cume_dist
CurrentCatalog=current_catalog CurrentDatabase=current_database CurrentDate=current_date
CurrentPath=current_path CurrentTime=current_time CurrentTimeZone=current_timezone
CurrentTimestamp=current_timestamp CurrentUser=current_user DateAdd=date_add DateDiff=datediff
DateFormatClass=date_format DateFromUnixDate=date_from_unix_date DateSub=date_sub
DayName=dayname DayOfMonth=day DayOfWeek=dayofweek DayOfYear=dayofyear Decode=decode
DenseRank=dense_rank Divide=divide ElementAt=element_at Elt=elt Encode=encode EndsWith=endswith
EqualTo=equals EulerNumber=e Exp=exp Expm1=expm1 Extract=extract Factorial=factorial
FindInSet=find_in_set Flatten=flatten Floor=floor FormatNumber=format_number
FormatString=format_string FromUTCTimestamp=from_utc_timestamp FromUnixTime=from_unixtime
Get=get GetArrayItem=get_item GetJsonObject=get_json_object GetMapValue=get_item
GreaterThan=greater_than GreaterThanOrEqual=greater_than_or_equal Greatest=greatest Hex=hex
HistogramNumeric=histogram_numeric HllSketchAgg=hll_sketch_agg
HllSketchEstimate=hll_sketch_estimate HllUnion=hll_union HllUnionAgg=hll_union_agg Hmac=hmac
Hour=hour Hypot=hypot If=if In=in InitCap=initcap InputFileBlockLength=input_file_block_length
InputFileBlockStart=input_file_block_start InputFileName=input_file_name IntegralDivide=div
IsNaN=isnan IsNotNull=is_not_null IsNull=is_null IsValidUTF8=is_valid_utf8
IsValidVariant=is_valid_variant IsVariantNull=is_variant_null
JaroWinkler=jaro_winkler_similarity JsonObjectKeys=json_object_keys
KllMergeAggBigint=kll_merge_agg_bigint KllMergeAggDouble=kll_merge_agg_double
KllMergeAggFloat=kll_merge_agg_float KllSketchAggBigint=kll_sketch_agg_bigint
KllSketchAggDouble=kll_sketch_agg_double KllSketchAggFloat=kll_sketch_agg_float
KllSketchGetNBigint=kll_sketch_get_n_bigint KllSketchGetNDouble=kll_sketch_get_n_double
KllSketchGetNFloat=kll_sketch_get_n_float
KllSketchGetQuantileBigint=kll_sketch_get_quantile_bigint
KllSketchGetQuantileDouble=kll_sketch_get_quantile_double
KllSketchGetQuantileFloat=kll_sketch_get_quantile_float
KllSketchGetRankBigint=kll_sketch_get_rank_bigint
KllSketchGetRankDouble=kll_sketch_get_rank_double
KllSketchGetRankFloat=kll_sketch_get_rank_float KllSketchMergeBigint=kll_sketch_merge_bigint
KllSketchMergeDouble=kll_sketch_merge_double KllSketchMergeFloat=kll_sketch_merge_float
KllSketchToStringBigint=kll_sketch_to_string_bigint
KllSketchToStringDouble=kll_sketch_to_string_double
KllSketchToStringFloat=kll_sketch_to_string_float Kurtosis=kurtosis Lag=lag LastDay=last_day
Lead=lead Least=least Left=left Length=length LengthOfJsonArray=json_array_length
LessThan=less_than LessThanOrEqual=less_than_or_equal Levenshtein=levenshtein
LocalTimestamp=localtimestamp Log=ln Log10=log10 Log1p=log1p Log2=log2 Lower=lower
Luhncheck=luhn_check MakeDTInterval=make_dt_interval MakeDate=make_date
MakeInterval=make_interval MakeTime=make_time MakeTimestamp=make_timestamp
MakeTimestampFromDateTime=make_timestamp TryMakeTimestampFromDateTime=try_make_timestamp
MakeValidUTF8=make_valid_utf8 MakeYMInterval=make_ym_interval MapConcat=map_concat
MapContainsKey=map_contains_key MapEntries=map_entries MapFilter=map_filter
MapFromArrays=map_from_arrays MapFromEntries=map_from_entries MapKeys=map_keys
MapValues=map_values MapZipWith=map_zip_with Mask=mask Max=max MaxBy=max_by Md5=md5
Measure=measure Median=median MicrosToTimestamp=timestamp_micros
MillisToTimestamp=timestamp_millis Min=min MinBy=min_by Minute=minute
MonotonicallyIncreasingID=monotonically_increasing_id Month=month MonthName=monthname
MonthsBetween=months_between Multiply=times Murmur3Hash=hash NTile=ntile NaNvl=nanvl
NextDay=next_day NthValue=nth_value NullIf=nullif NullIfZero=nullifzero Nvl=nvl Nvl2=nvl2
OctetLength=octet_length Overlay=overlay ParseJson=parse_json ParseToDate=to_date
ParseToTimestamp=to_timestamp ParseUrl=parse_url PercentRank=percent_rank Percentile=percentile
Pi=pi Pmod=pmod Pow=power Quarter=quarter Quote=quote RLike=rlike Rank=rank
RegExpCount=regexp_count RegExpExtract=regexp_extract RegExpExtractAll=regexp_extract_all
RegExpInStr=regexp_instr RegExpReplace=regexp_replace RegExpSubStr=regexp_substr
RegrAvgX=regr_avgx RegrAvgY=regr_avgy RegrCount=regr_count RegrIntercept=regr_intercept
RegrR2=regr_r2 RegrSXX=regr_sxx RegrSXY=regr_sxy RegrSYY=regr_syy RegrSlope=regr_slope
Remainder=mod Reverse=reverse Right=right Rint=rint Round=round RowNumber=row_number
ST_AsBinary=st_asbinary ST_GeogFromWKB=st_geogfromwkb ST_GeomFromWKB=st_geomfromwkb
ST_SetSrid=st_setsrid ST_Srid=st_srid SchemaOfVariant=schema_of_variant
SchemaOfVariantAgg=schema_of_variant_agg Sec=sec Second=second
SecondsToTimestamp=timestamp_seconds Sentences=sentences Sequence=sequence Sha1=sha1 Sha2=sha2
ShiftLeft=shiftleft ShiftRight=shiftright ShiftRightUnsigned=shiftrightunsigned Signum=sign
Sin=sin Sinh=sinh Size=size Skewness=skewness Slice=slice SortArray=sort_array SoundEx=soundex
SparkPartitionID=spark_partition_id SparkVersion=version SplitPart=split_part Sqrt=sqrt
StartsWith=startswith StddevPop=stddev_pop StddevSamp=stddev StringInstr=instr
StringInstrWithOccurrence=instr StringLPad=lpad
StringLocate=locate StringRPad=rpad StringRepeat=repeat StringReplace=replace StringSpace=space
StringSplit=split StringToMap=str_to_map StringTranslate=translate StringTrim=trim
StringTrimBoth=btrim StringTrimLeft=ltrim StringTrimRight=rtrim Substring=substring
SubstringIndex=substring_index Subtract=minus Sum=sum Tan=tan Tanh=tanh
ThetaDifference=theta_difference ThetaIntersection=theta_intersection
ThetaIntersectionAgg=theta_intersection_agg ThetaSketchAgg=theta_sketch_agg
ThetaSketchEstimate=theta_sketch_estimate ThetaUnion=theta_union ThetaUnionAgg=theta_union_agg
TimeBucket=time_bucket TimeDiff=time_diff TimeFromMicros=time_from_micros
TimeFromMillis=time_from_millis TimeFromSeconds=time_from_seconds TimeToMicros=time_to_micros
TimeToMillis=time_to_millis TimeToSeconds=time_to_seconds TimeTrunc=time_trunc
ToBinary=to_binary ToCharacter=to_char ToDegrees=degrees ToNumber=to_number ToRadians=radians
ToTime=to_time ToUTCTimestamp=to_utc_timestamp ToUnixTimestamp=to_unix_timestamp
ToVariantObject=to_variant_object TransformKeys=transform_keys TransformValues=transform_values
TruncDate=trunc TruncTimestamp=date_trunc TryAdd=try_add TryAesDecrypt=try_aes_decrypt
TryDivide=try_divide TryElementAt=try_element_at TryMakeInterval=try_make_interval
TryMakeTimestamp=try_make_timestamp TryMod=try_mod TryMultiply=try_multiply
TryParseUrl=try_parse_url TryReflect=try_reflect TrySubtract=try_subtract
TryToBinary=try_to_binary TryToNumber=try_to_number TryUrlDecode=try_url_decode
TryValidateUTF8=try_validate_utf8 TupleDifferenceDouble=tuple_difference_double
TupleDifferenceInteger=tuple_difference_integer
TupleDifferenceThetaDouble=tuple_difference_theta_double
TupleDifferenceThetaInteger=tuple_difference_theta_integer
TupleIntersectionAggDouble=tuple_intersection_agg_double
TupleIntersectionAggInteger=tuple_intersection_agg_integer
TupleIntersectionDouble=tuple_intersection_double
TupleIntersectionInteger=tuple_intersection_integer
TupleIntersectionThetaDouble=tuple_intersection_theta_double
TupleIntersectionThetaInteger=tuple_intersection_theta_integer
TupleSketchAggDouble=tuple_sketch_agg_double TupleSketchAggInteger=tuple_sketch_agg_integer
TupleSketchEstimateDouble=tuple_sketch_estimate_double
TupleSketchEstimateInteger=tuple_sketch_estimate_integer
TupleSketchSummaryDouble=tuple_sketch_summary_double
TupleSketchSummaryInteger=tuple_sketch_summary_integer
TupleSketchThetaDouble=tuple_sketch_theta_double
TupleSketchThetaInteger=tuple_sketch_theta_integer TupleUnionAggDouble=tuple_union_agg_double
TupleUnionAggInteger=tuple_union_agg_integer TupleUnionDouble=tuple_union_double
TupleUnionInteger=tuple_union_integer TupleUnionThetaDouble=tuple_union_theta_double
TupleUnionThetaInteger=tuple_union_theta_integer TypeOf=typeof UnBase32=from_base32
UnBase64=unbase64 UnaryMinus=negative UnaryPositive=positive Unhex=unhex UnixDate=unix_date
UnixMicros=unix_micros UnixMillis=unix_millis UnixSeconds=unix_seconds Upper=upper
UrlDecode=url_decode UrlEncode=url_encode ValidateUTF8=validate_utf8 VariancePop=var_pop
VarianceSamp=variance VariantArrayAppend=variant_array_append VariantDelete=variant_delete
VariantInsert=variant_insert VariantSet=variant_set VariantStripNulls=variant_strip_nulls
VectorAvg=vector_avg VectorCosineSimilarity=vector_cosine_similarity
VectorInnerProduct=vector_inner_product VectorL2Distance=vector_l2_distance
VectorNorm=vector_norm VectorNormalize=vector_normalize VectorSum=vector_sum WeekDay=weekday
WeekOfYear=weekofyear WidthBucket=width_bucket XPathBoolean=xpath_boolean
XPathDouble=xpath_double XPathFloat=xpath_float XPathInt=xpath_int XPathList=xpath
XPathLong=xpath_long XPathShort=xpath_short XPathString=xpath_string XxHash64=xxhash64 Year=year
ZeroIfNull=zeroifnull ZipWith=zip_with
EqualNull=equal_null MakeTimestampLTZ=make_timestamp_ltz MakeTimestampNTZ=make_timestamp_ntz
Now=current_timestamp RoundCeil=ceil RoundFloor=floor
HoursOfTime=hour MinutesOfTime=minute SecondsOfTime=second SecondsOfTimeWithFraction=second
AnyValue=any_value CollectList=collect_list CollectSet=collect_set CollectUnion=collect_union
Count=count First=first HyperLogLogPlusPlus=approx_count_distinct Last=last ListAgg=listagg
Mode=mode PercentileCont=percentile_cont PercentileDisc=percentile_disc
"""

NAMES: dict[str, str] = {
    kind: name for kind, _, name in (pair.partition("=") for pair in _CALLS.split())
}
"""The function of each class, as the registry of ours calls it."""

DEFAULTS: dict[str, tuple[object, ...]] = {
    "ApproxTopK": ("5", "10000"),
    "ApproxTopKAccumulate": ("10000",),
    "ApproxTopKCombine": ("-1",),
    "ApproxTopKEstimate": ("5",),
    "ApproximatePercentile": ("10000",),
    "AssertTrue": (),
    "BRound": ("0",),
    "CurrentTime": ("6",),
    "FromUnixTime": ("yyyy-MM-dd HH:mm:ss",),
    "HllSketchAgg": ("12",),
    "HllUnion": (False,),
    "HllUnionAgg": (False,),
    "Hmac": ("SHA-256",),
    "Lag": ("1", None),
    "Lead": ("1", None),
    "MakeDTInterval": ("0", "0", "0", "0.000000"),
    "MakeInterval": ("0", "0", "0", "0", "0", "0", "0.000000"),
    "MakeYMInterval": ("0", "0"),
    "Mask": ("X", "x", "n", None),
    "MonthsBetween": (True,),
    "Overlay": ("-1",),
    "Percentile": ("1",),
    "RegExpExtract": ("1",),
    "RegExpExtractAll": ("1",),
    "RegExpInStr": ("0",),
    "RegExpReplace": ("1",),
    "Round": ("0",),
    "ST_AsBinary": ("NDR",),
    "ST_GeomFromWKB": ("0",),
    "Sentences": ("", ""),
    "SortArray": (True,),
    "StringInstrWithOccurrence": ("1",),
    "StringLPad": (" ",),
    "StringLocate": ("1",),
    "StringRPad": (" ",),
    "StringReplace": ("",),
    "StringSplit": ("-1",),
    "StringToMap": (",", ":"),
    "Substring": ("2147483647",),
    "ThetaSketchAgg": ("12",),
    "ThetaUnion": ("12",),
    "ThetaUnionAgg": ("12",),
    "TimeBucket": ("0",),
    "ToUnixTimestamp": ("yyyy-MM-dd HH:mm:ss",),
    "TryAesDecrypt": ("GCM", "DEFAULT", ""),
    "TryMakeInterval": ("0", "0", "0", "0", "0", "0", "0.000000"),
    "TupleIntersectionAggDouble": ("sum",),
    "TupleIntersectionAggInteger": ("sum",),
    "TupleIntersectionDouble": ("sum",),
    "TupleIntersectionInteger": ("sum",),
    "TupleIntersectionThetaDouble": ("sum",),
    "TupleIntersectionThetaInteger": ("sum",),
    "TupleSketchAggDouble": ("12", "sum"),
    "TupleSketchAggInteger": ("12", "sum"),
    "TupleSketchSummaryDouble": ("sum",),
    "TupleSketchSummaryInteger": ("sum",),
    "TupleUnionAggDouble": ("12", "sum"),
    "TupleUnionAggInteger": ("12", "sum"),
    "TupleUnionDouble": ("12", "sum"),
    "TupleUnionInteger": ("12", "sum"),
    "TupleUnionThetaDouble": ("12", "sum"),
    "TupleUnionThetaInteger": ("12", "sum"),
    "UnixTimestamp": ("yyyy-MM-dd HH:mm:ss",),
    "VariantSet": (True,),
    "VariantStripNulls": (True,),
    "VectorNorm": ("2.0",),
    "VectorNormalize": ("2.0",),
}
"""What Spark adds for last arguments that are left out, as the text of the literals."""

WITHOUT_FAILURE: dict[str, str] = {
    "ParseJson": "try_parse_json",
    "VariantArrayAppend": "try_variant_array_append",
    "VariantGet": "try_variant_get",
    "VariantInsert": "try_variant_insert",
    "VariantSet": "try_variant_set",
}
"""The function of a class with ``failOnError`` off, where no setting decides that."""

TRYING: dict[str, str] = {
    "Add": "try_add",
    "Average": "try_avg",
    "Divide": "try_divide",
    "Multiply": "try_multiply",
    "Remainder": "try_mod",
    "Subtract": "try_subtract",
    "Sum": "try_sum",
}
"""The function of a class in Spark's mode TRY, where NULL stands for what has no result."""
