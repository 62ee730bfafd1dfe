"""Calls of every function of text, with places for texts of any collation."""

from __future__ import annotations

SCALARS = """
upper(@) lower(@) initcap(@) length(@) char_length(@) octet_length(@) bit_length(@) trim(@)
ltrim(@) rtrim(@) btrim(@) btrim(@,@) trim(BOTH @ FROM @) trim(LEADING @ FROM @)
trim(TRAILING @ FROM @) substring(@,2) substring(@,1,2) left(@,1) right(@,1)
substring_index(@,@,1) split_part(@,@,1) concat(@,@) concat(@,@,@) concat(@,i) concat_ws(@,@,@)
concat_ws(@,array(@),@) concat_ws(@) repeat(@,2) reverse(@) lpad(@,3,@) rpad(@,3,@) lpad(@,3)
replace(@,@,@) replace(@,@) translate(@,@,@) overlay(@PLACING@FROM 1) overlay(@PLACING@FROM 1 FOR 1)
ascii(@) soundex(@) levenshtein(@,@) levenshtein(@,@,2) jaro_winkler_similarity(@,@) luhn_check(@)
elt(i,@,@) sentences(@) sentences(@,@,@) find_in_set(@,@) instr(@,@) locate(@,@) locate(@,@,2)
position(@,@) contains(@,@) startswith(@,@) endswith(@,@) split(@,@) split(@,@,2)
regexp_replace(@,@,@) regexp_extract(@,@,0) regexp_extract_all(@,@,0) regexp_count(@,@)
regexp_instr(@,@) regexp_substr(@,@) rlike(@,@) @LIKE@ @ILIKE@ @||@ @=@ @<@ @<=>@ @<>@
@BETWEEN@AND@ @IN(@,@) coalesce(@,@) coalesce(@,@,NULL) nvl(@,@) nvl2(i,@,@) nullif(@,@)
ifnull(@,@) if(i=1,@,@) greatest(@,@) least(@,@) array(@,@) map(@,@) map(@,@,@,@)
named_struct('f',@,'g',@) array_join(array(@,@),@) array_join(array(@),@,@)
array_contains(array(@),@) array_position(array(@),@) array_remove(array(@),@)
array_append(array(@),@) array_prepend(array(@),@) array_union(array(@),array(@))
array_except(array(@),array(@)) array_intersect(array(@),array(@)) arrays_overlap(array(@),array(@))
array_distinct(array(@,@)) array_repeat(@,2) array_max(array(@)) sort_array(array(@)) array(@)[0]
element_at(array(@),1) map(@,1)[@] str_to_map(@,@,@) mask(@) mask(@,@,@) decode(@,'a',@,@)
encode(@,'utf-8') md5(@) sha2(@,256) base64(@) hex(@) hash(@) to_number(@,'9') to_char(i,'9')
format_string('%s',@) quote(@) url_encode(@) parse_url(@,'HOST') get_json_object(@,'$.a')
typeof(@) collation(@) concat(upper(@),lower(@)) coalesce(upper(@),@) CAST(@AS STRING)
CAST(@AS INT) CAST(@AS BINARY) collate(@,'UTF8_LCASE') nvl(CAST(@AS STRING),@) to_date(@)
named_struct('f',@).f concat(named_struct('f',@).f,@) array(@)[0]||@ is_valid_utf8(@)
element_at(map(@,1),@) try_element_at(map(@,1),@) map_contains_key(map(@,1),@)
array_insert(array(@),1,@)
map_concat(map(@,1),map(@,2)) make_valid_utf8(@) validate_utf8(@) lag(@,1,@) lead(@) first_value(@)
"""
"""The scalar calls; @ stands for a text. lag, lead and first_value are put over a window."""

AGGREGATES = """
max(@) min(@) first(@) any_value(@) collect_list(@) collect_set(@) listagg(@) listagg(@,',')
listagg(@,@) mode(@) count(DISTINCT@) max_by(@,@) approx_count_distinct(@) count(@) last(@)
array_agg(@) string_agg(@,',') listagg(DISTINCT@)
"""
