/**
 * The voice names of our build of eSpeak NG: the languages in its data. This list validates names without loading the
 * engine; test/speech/phonemes/espeak.test.ts compares it with the engine.
 */

export const espeakVoices: ReadonlySet<string> = new Set(
  (
    'af am an ar as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va cmn cmn-latn-pinyin cs cv cy da de el ' +
    'en en-029 en-gb-scotland en-gb-x-gbclan en-gb-x-gbcwmd en-gb-x-rp en-us en-us-nyc eo es es-419 ' +
    'et eu fa fa-latn fi fo fr fr-be fr-ch ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id io is ' +
    'it ja jbo ka kaa kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne ' +
    'nl nog om or pa pap piqd pl pt pt-br py qdb qu quc qya ro ru ru-cl ru-lv sd shn si sjn sk sl ' +
    'smj sq sr sv sw ta te th ti tk tn tr tt ug uk ur uz vi vi-vn-x-central vi-vn-x-south xex yue'
  ).split(' '),
)
