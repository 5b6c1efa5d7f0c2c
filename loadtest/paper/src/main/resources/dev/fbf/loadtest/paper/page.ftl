<#-- Numbers: few digits, the same on every machine. Two significant ones below 0.1, else two decimals; none from 10 on. -->
<#function pattern value>
  <#local size = value?abs>
  <#return (size == 0)?then("%.0f", (size lt 0.1)?then("%.1e", (size lt 10)?then("%.2f", "%,.0f")))>
</#function>
<#-- Of a spread the deviation has the digits of the mean. -->
<#function small value>
  <#local text = value?is_number?then(f(pattern(value), value), f(pattern(value.mean) + " ± " + pattern(value.mean), value.mean, value.deviation))>
  <#return text?replace("e([+-])0", "e$1", "r")>
</#function>
<#function percent share>
  <#if share?is_number><#return f((share?abs lt 0.0995)?then("%.1f %%", "%.0f %%"), 100 * share)></#if>
  <#return f("%.1f ± %.1f %%", 100 * share.mean, 100 * share.deviation)>
</#function>
<#function count value><#return f((value == value?round)?then("%.0f", "%.1f"), value)></#function>
<#-- A block of a page, between its comments. -->
<#macro block name>
<!-- measured: ${name} -->
<#nested>
<!-- end -->
</#macro>
<#-- Judges a claim: it holds if all conditions are met, in part if some are. Shows the verdict with its reason. -->
<#macro claim where claim paper here holds>
<#local because><#nested></#local>
<#local reason = because?trim?replace("\\s*\n\\s*", " ", "r")>
<#local verdict = holds?seq_contains(false)?then(holds?seq_contains(true)?then("in part", "does not hold"), "holds")>
${add({"where": where, "claim": claim, "paper": paper, "measured": here, "verdict": verdict, "because": reason})}<#t>
**${verdict?cap_first}** (${claim}). ${reason}
</#macro>
