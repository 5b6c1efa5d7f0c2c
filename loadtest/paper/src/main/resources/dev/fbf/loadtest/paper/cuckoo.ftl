<#-- The blocks of docs/research/cuckoo.md: sets under the traces by their kind. -->
<#include "page.ftl">
<#assign runs = figures.runs>
<#assign bits = figures.bits>
<#assign dcf = runs["DCF"], ccfB = runs["CCF_B"], ccfF = runs["CCF_F"], both = runs["CCF, both"]>
<#-- With the values of figure 4 it is CCF_B. -->
<#function ccf name><#return runs[name]!ccfB></#function>
<#function mean name><#return ccf(name).utilization></#function>
<#macro judged where name paper here holds>
<@claim where=where claim=name title=where + ": " + name paper=paper here=[here] holds=holds><#nested></@claim>

</#macro>
<@block name="figure-4">
<#assign better = ccfB.excess lt dcf.excess && ccfF.excess lt dcf.excess, best = ccfB.excess lt ccfF.excess>
<@judged where="4a, 4b" name="CCF_B follows m_opt best, CCF_F next, both better than DCF" paper="CCF_B \"perfectly\""
 here=f("buckets over m_opt: CCF_B %+.1f %%, CCF_F %+.1f %%, DCF %+.1f %%", 100 * ccfB.excess, 100 * ccfF.excess, 100 * dcf.excess)
 holds=[better, best]>
${better?then("Both follow the optimum more closely than DCF", "Not both follow the optimum more closely than DCF")}, and neither follows it
perfectly: the largest distances of the distributions of 4b from that of 4a are ${f("%.3f (CCF_B), %.3f (CCF_F) and %.3f (DCF)",
ccfB.distance, ccfF.distance, dcf.distance)}. ${best?then("CCF_B is the closest.", "CCF_F is closer than CCF_B.")}
</@judged>
<@judged where="4c" name="share of samples with a utilization below 0.90" paper="DCF 37 %, CCF_B and CCF_F under 10 %"
 here=f("DCF %.0f %%, CCF_B %.0f %%, CCF_F %.0f %%", 100 * dcf.below90, 100 * ccfB.below90, 100 * ccfF.below90)
 holds=[ccfB.below90 lt 0.1 && ccfF.below90 lt 0.1, dcf.below90 gt 0.25]>
The highest utilizations are ${f("%.3f, %.3f and %.3f", dcf.highest, ccfB.highest, ccfF.highest)} (the paper: 0.970, 1.0, 0.999).
</@judged>
<#assign close = (dcf.utilization - 0.8809)?abs lt 0.02 && (ccfB.utilization - 0.9481)?abs lt 0.02 && (ccfF.utilization - 0.9425)?abs lt 0.02>
<@judged where="4c" name="average utilization of DCF, CCF_B and CCF_F" paper="0.8809, 0.9481, 0.9425"
 here=f("%.4f, %.4f, %.4f", dcf.utilization, ccfB.utilization, ccfF.utilization)
 holds=[ccfB.utilization gt dcf.utilization && ccfF.utilization gt dcf.utilization, close]>
On another trace, and within 0.02 of the paper's averages${close?then(".", " only in part.")}${(ccfB.utilization gt ccfF.utilization)?then("",
" CCF_F is the better of the two here.")}
</@judged>
<@judged where="4d" name="share of samples with under 500 empty slots; DCF over 1,000; CCF_B has more than CCF_F" paper="CCF_B 93 %, CCF_F 97 %, DCF 62 %; 16 %"
 here=f("CCF_B %.0f %%, CCF_F %.0f %%, DCF %.0f %%; %.0f %%", 100 * ccfB.under500, 100 * ccfF.under500, 100 * dcf.under500, 100 * dcf.over1000)
 holds=[ccfB.under500 gt 0.9 && ccfF.under500 gt 0.9 && dcf.under500 lt 0.8, ccfB.empty gt ccfF.empty]>
${(ccfF.under500 gte ccfB.under500 && ccfB.under500 gt dcf.under500)?then("The order is the paper's.", "The order is not the paper's.")}
DCF has at most ${f("%,.0f", dcf.mostEmpty)} empty slots, not 3,176. On average CCF_B has ${f("%,.0f and CCF_F %,.0f", ccfB.empty, ccfF.empty)}.
</@judged>
<@judged where="III-C" name="no false negative for stored elements" paper="none"
 here=f("%.0f of all flows lost", figures.lost)
 holds=[figures.lost == 0]>
Each flow was looked for when it began and before it was deleted, in all runs of figure 4.
</@judged>
|  | buckets, mean | over m_opt | utilization, mean | highest | at the most flows | below 0.90 | under 500 empty | over 1,000 empty | most empty slots | most filters | bits a stored element, slots alone | with the ring |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
<#list bits as kind, b><#assign r = runs[kind]>
| ${kind} | ${f("%,.0f", r.buckets)} | ${f("%+.1f %%", 100 * r.excess)} | ${f("%.4f", r.utilization)} | ${f("%.3f", r.highest)} | ${f("%.3f", r.atPeak)} | ${f("%.0f %%", 100 * r.below90)} | ${f("%.0f %%", 100 * r.under500)} | ${f("%.0f %%", 100 * r.over1000)} | ${f("%,.0f", r.mostEmpty)} | ${f("%.0f", r.mostFilters)} | ${f("%.1f", b.slots)} | ${f("%.1f", b.slots + b.ring)} |
</#list>

<#list ["4a", "4b", "4c", "4d"] as figure>
${plots["cuckoo-figure-" + figure]}

</#list>
<#assign b = bits["CCF_B"]>
The paper counts slots. A bucket of CCF also has v = 10 points on the ring, each a position of 36 bits and the number of a bucket: ${f("%.0f", b.ring)} bits an element beside ${f("%.0f", b.slots)} of its fingerprint's slot. With the ring, CCF_B takes ${f("%.1f", (b.ring + b.slots) / bits["DCF"].slots)} times the memory of DCF.
</@block>

<@block name="figure-5">
<@judged where="5a" name="average utilization with k = 2 and k = 16; samples above 0.98" paper="0.9481 and 0.9599; under 12 % and nearly half"
 here=f("%.4f and %.4f; %.0f %% and %.0f %%", mean("k = 2"), mean("k = 16"), 100 * ccfB.above98, 100 * runs["k = 16"].above98)
 holds=[mean("k = 16") gt mean("k = 2"), ccfB.above98 lt 0.12 && runs["k = 16"].above98 gt 0.35]>
Most of the gain is there at k = 4 (${f("%.4f", mean("k = 4"))}).
</@judged>
<@judged where="5b" name="average utilization with b = 3 and b = 6" paper="0.9481 and 0.9986"
 here=f("%.4f and %.4f; merging every bucket that loses a fingerprint, %.4f", mean("b = 3"), mean("b = 6"), mean("b = 6, merging all"))
 holds=[mean("b = 6") gt mean("b = 3"), mean("b = 6, merging all") gt mean("b = 3")]>
It rises while the filter grows: with the most flows it is ${f("%.4f with b = 6, %.4f with b = 3", runs["b = 6"].atPeak, ccfB.atPeak)}. But
buckets are merged below 2 fingerprints, by the paper's words, and a larger bucket that is half empty is none of them.
</@judged>
<#-- By how much averages of the same parameters differ from one trace to another. -->
<#assign noise = 0.002>
<@judged where="5c" name="utilization rises with max, from 700 to 1,200" paper="\"obviously\"; no number"
 here=f("%.4f and %.4f", mean("max = 700"), mean("max = 1200"))
 holds=[mean("max = 1200") - mean("max = 700") gt noise]>
A random walk that finds no room in 700 steps hardly finds any in 500 more: what differs is within the noise of a run.
</@judged>
<@judged where="5d" name="average utilization with v = 10 and v = 1; samples above 0.95" paper="0.9481 and 0.9298; 76 % and 16 %"
 here=f("%.4f and %.4f; %.0f %% and %.0f %%", mean("v = 10"), mean("v = 1"), 100 * ccfB.above95, 100 * runs["v = 1"].above95)
 holds=[mean("v = 10") gt mean("v = 1"), mean("v = 1") gt 0.9]>
The direction is right and the loss is far larger. With v = 1 the arcs are exponentially distributed, and equation 7 over such arcs gives at
most 0.64 for a filter that grows; merging then takes away some of the smallest arcs. 0.93 cannot come from buckets at random positions.
</@judged>
|  | utilization, mean | at the most flows | above 0.95 | above 0.98 |
| --- | --: | --: | --: | --: |
<#list ["k = 2", "k = 4", "k = 8", "k = 16", "b = 3", "b = 4", "b = 5", "b = 6", "b = 6, merging all", "max = 1200", "max = 1000", "max = 850", "max = 700", "v = 10", "v = 5", "v = 2", "v = 1"] as name>
<#assign r = ccf(name)>
| ${name} | ${f("%.4f", r.utilization)} | ${f("%.4f", r.atPeak)} | ${f("%.0f %%", 100 * r.above95)} | ${f("%.0f %%", 100 * r.above98)} |
</#list>

<#list ["5a", "5b", "5c", "5d"] as figure>
${plots["cuckoo-figure-" + figure]}

</#list>
</@block>

<@block name="table-1">
<#assign i2cf = ccfB.excess, ccfBest = [ccfF.excess, both.excess]?min>
<@judged where="Table I" name="capacity elasticity: CCF +++, I2CF ++, DCF ++" paper="CCF > I2CF = DCF"
 here=f("buckets over m_opt: CCF (better of filters and both) %+.1f %%, I2CF (CCF_B) %+.1f %%, DCF %+.1f %%", 100 * ccfBest, 100 * i2cf, 100 * dcf.excess)
 holds=[ccfBest lt i2cf, dcf.excess lt 1.25 * i2cf]>
CCF adapts best of the three. I2CF and DCF have the same mark, and
${(i2cf - ccfBest lt dcf.excess - i2cf)?then("I2CF is nearer to CCF than to DCF.", "I2CF is nearer to DCF than to CCF.")}
</@judged>
<#assign slots = bits["CCF_B"].slots, withRing = bits["CCF_B"].slots + bits["CCF_B"].ring, ofDcf = bits["DCF"].slots>
<@judged where="Table I" name="space efficiency: I2CF and CCF +++, DCF ++" paper="I2CF, CCF > DCF"
 here=f("bits an element: I2CF %.1f in slots, %.1f with the ring; DCF %.1f", slots, withRing, ofDcf)
 holds=[slots lt ofDcf, withRing lt ofDcf]>
It is right of the slots and wrong of the memory: the ring that makes I2CF elastic is several times as large as its slots.
</@judged>
<@judged where="Table I" name="design flexibility: I2CF and CCF +++, DCF and CF +" paper="any k, b and m"
 here="k from 2 to 16, b from 3 to 6, any m: figure 5"
 holds=[true]>
k, b and m are free; but k and b do not change the false positives, which theorem 1 says they do.
</@judged>
</@block>

<@block name="claims">
| of | claim | paper | here | holds? |
| --- | --- | --- | --- | --- |
<#list claims() as c>
| ${c.where} | ${c.claim} | ${c.paper} | ${c.measured[0]} | **${c.verdict}** |
</#list>
</@block>
