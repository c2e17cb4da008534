/**
 * Everyday sentences that voices synthesize to measure their statistics and speaker embeddings. The texts need no
 * normalization.
 */
import manifest from '../../voices/catalogue.json'
import { baseLanguage } from '../language'

/** The first sentence tunes adapted voices. A text twice as long was measured to tune no better. */
const english = [
  'The old house on the hill was sold last month, and we are going to visit our friends in the city tomorrow.',
  'Please keep the noise down, because the children are asleep upstairs.',
  'Few things taste better than fresh bread with a little butter.',
]

const mandarin = [
  '今天天气很好，我们一起去公园散步吧。',
  '请把窗户关上，外面下雨了。',
  '火车晚点了半个小时，大家都等得不耐烦。',
]

/** Languages that only fallback voices speak. They have no demo sentence. */
const fallbacks: Readonly<Record<string, string>> = {
  ja: 'こんにちは。きょうは とても いい てんきです。',
  he: 'שלום לכולם. היום יום יפה, ואנחנו יוצאים לטייל.',
  hy: 'Բարև ձեզ։ Այսօր լավ եղանակ է։',
  bn: 'নমস্কার। আজ আবহাওয়া খুব ভালো।',
  ta: 'வணக்கம். இன்று நல்ல வானிலை.',
  gu: 'નમસ્તે. આજે હવામાન સારું છે.',
  kn: 'ನಮಸ್ಕಾರ. ಇಂದು ಹವಾಮಾನ ಚೆನ್ನಾಗಿದೆ.',
  pa: 'ਸਤ ਸ੍ਰੀ ਅਕਾਲ। ਅੱਜ ਮੌਸਮ ਚੰਗਾ ਹੈ।',
  or: 'ନମସ୍କାର। ଆଜି ପାଗ ଭଲ ଅଛି।',
  si: 'ආයුබෝවන්. අද කාලගුණය හොඳයි.',
  th: 'สวัสดี วันนี้อากาศดีมาก เราไปเดินเล่นกัน',
  am: 'ሰላም። ዛሬ አየሩ ጥሩ ነው።',
  my: 'မင်္ဂလာပါ။ ဒီနေ့ ရာသီဥတု ကောင်းတယ်။',
  und: 'My neighbour keeps a small dog that barks at every passing bus.',
}

/** Sentences in this language (BCP 47); English ones for a language without a voice in the catalogue. */
export function tuningTexts(language: string): readonly string[] {
  const base = baseLanguage(language)
  if (base === 'en') return english
  if (base === 'zh') return mandarin
  const demos = manifest.voices.filter((voice) => baseLanguage(voice.language) === base).map(({ demo }) => demo)
  if (demos.length > 0) return demos
  return Object.hasOwn(fallbacks, base) ? [fallbacks[base]!] : english
}
