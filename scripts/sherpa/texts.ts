/**
 * Texts for comparing front ends: known difficult ones, and any number of pseudo-random ones from words and marks, the
 * same on every run.
 */
import { createRandom } from '../random'
import { awkwardEnglish, awkwardMandarin } from './awkward'

type Material = {
  readonly awkward: readonly string[]
  readonly words: readonly string[]
  /** Separator of words; '' for scripts without spaces. */
  readonly blank: string
  readonly marks: readonly string[]
}

const marks = [
  '. ',
  '. ',
  '. ',
  ', ',
  ', ',
  ', ',
  '! ',
  '? ',
  ': ',
  '; ',
  '... ',
  '…',
  ' - ',
  ' — ',
  '—',
  ' – ',
  '" ',
  ' "',
  " '",
  "' ",
  ' (',
  ') ',
  '.) ',
  '." ',
  '?" ',
  ' “',
  '” ',
  '.” ',
  '’ ',
  ' ‘',
  '?! ',
  '!!! ',
  '.. ',
  ' .',
  ' ,',
  ',, ',
  '\n',
  '\n\n',
  '.\n',
  '.\n\n',
  '/',
  '-',
  '%',
  '# ',
  ' & ',
  '.',
  ',',
  '!',
  ':',
  ' «',
  '» ',
  ' ¿',
  ' ¡',
  '\t',
  '., ',
  ':) ',
]

const english: Material = {
  words:
    `the a of the and in the to be is was it that he she we they you I this with for on at by from or an are not but had
    his her my our quick brown river mountain station yesterday tomorrow question answer beautiful although through
    thought enough laughter machine engineer photograph hour honest knee gnome psychology schedule garage colonel
    island receipt subtle tomb choir yacht queue rhythm don't won't it's we've I'm o'clock rock'n'roll mother-in-law
    well-known twenty-one Dr Mr Mrs St Prof U.S. u.s.a. e.g. i.e. etc a.m. p.m. NASA HTML iPhone YouTube McDonald
    O'Neil London Paris Beijing Zürich café naïve façade jalapeño résumé 1 7 42 100 1999 2024 3.14 1,000,000 50% $5
    9:30 1st 22nd IV XVII B2B C3PO a b x Z www.example.com me@example.org COVID-19 read lead wind tear live close`.split(
      /\s+/,
    ),
  blank: ' ',
  marks,
  awkward: awkwardEnglish,
}

const mandarin: Material = {
  words:
    `你好 世界 今天 天气 很 好 我们 他 她 它 的 了 吗 呢 吧 是 不 一 一个 一样 不是 不要 银行 行长 长大 重要 重新 音乐 快乐 觉得 睡觉 还是 还书
    了解 为了 因为 朝阳 都市 都是 大夫 大小 得到 跑得快 地方 慢慢地 中国 北京 上海 图书馆 火车站 电话 手机 电脑 朋友 老师 学生 孩子 妈妈 爸爸 哥哥
    姐姐 东西 西瓜 苹果 吃饭 喝水 看书 写字 说话 走路 跑步 三 五百 两千 二十一 第一 百分之十 星期三 三月五号 下午 两点半 女 旅行 绿色 略 学 雪 月 云
    圆 鱼 雨 远 而 儿子 花儿 哪儿 iPhone call OK CEO T恤 卡拉OK 3 2024 15% A B`.split(/\s+/),
  blank: '',
  marks: [
    '，',
    '，',
    '，',
    '。',
    '。',
    '。',
    '！',
    '？',
    '、',
    '；',
    '：',
    '……',
    '——',
    '—',
    '“',
    '”',
    '。”',
    '‘',
    '’',
    '《',
    '》',
    '（',
    '）',
    '。）',
    '「',
    '」',
    '·',
    '．',
    '…',
    ' ',
    '\n',
    '\n\n',
    '。\n',
    '。\n\n',
    ', ',
    '. ',
    '! ',
    '? ',
    ': ',
    '; ',
    ',',
    '.',
    '?',
    '!',
    '-',
    '%',
    '/',
    '(',
    ')',
    '～',
  ],
  awkward: awkwardMandarin,
}

const others: Readonly<Record<string, Material>> = {
  de: {
    words:
      'der die das und ich nicht Straße über schön Öl Mädchen am 3. Mai XV. Karl V. I. usw. z.B. Dr. 12 3,5 heute morgen'.split(
        ' ',
      ),
    blank: ' ',
    marks,
    awkward: [
      'Am 3. Mai war es so.',
      'Karl V. War da.',
      'Der 1. und der 2. Tag',
      'Wann? Heute! Oder: nie.',
      '„Ja“, sagte er.',
    ],
  },
  fr: {
    words: "le la les et je ne pas l'été aujourd'hui c'est où garçon œuvre Noël 21 M. Mme 1er XIVe qu'il belle".split(
      ' ',
    ),
    blank: ' ',
    marks,
    awkward: ['« Bonjour ! »', 'Qui est-ce ? Moi.', "L'homme, qu'il est…", 'M. Dupont est là.'],
  },
  ru: {
    words: 'это и в не на я он она мир здравствуйте сегодня Москва человек т.д. 5 её который жизнь'.split(' '),
    blank: ' ',
    marks,
    awkward: ['Привет, мир!', 'И т.д. и т.п.', '«Да», — сказал он.', 'Москва — столица.'],
  },
  hi: {
    words: 'यह है और नमस्ते दुनिया में का की से हम आप भारत पानी अच्छा 5 १२'.split(' '),
    blank: ' ',
    marks: [...marks, '। ', '। ', '। ', '।', '॥ '],
    awkward: ['नमस्ते। आप कैसे हैं?', 'यह अच्छा है।', 'हाँ॥ नहीं।'],
  },
  ar: {
    words: 'هذا في من على مرحبا العالم كتاب اليوم بيت جميل 5 ١٢'.split(' '),
    blank: ' ',
    marks: [...marks, '، ', '، ', '؛ ', '؟ ', '؟ '],
    awkward: ['مرحبا، كيف حالك؟', 'نعم؛ لا.', 'هذا كتاب.'],
  },
}

const materials: Readonly<Record<string, Material>> = { 'en-us': english, cmn: mandarin, ...others }

/** eSpeak NG voices with texts. */
export const textVoices = Object.keys(materials)

/** `voice`: one of `textVoices`. Returns at least `count` distinct texts, none longer than an engine's limit. */
export function makeTexts(voice: string, count: number, seed = 20_261_121): string[] {
  const { awkward, words, blank, marks: between } = materials[voice]!
  const { next: random, pick } = createRandom(seed)
  const texts = new Set(awkward)
  while (texts.size < count) {
    let text = random() < 0.1 ? pick(between).trimStart() : ''
    const length = 1 + Math.floor(random() ** 2 * 40)
    for (let i = 0; i < length; i++) {
      text += pick(words)
      text += random() < 0.75 ? blank : pick(between)
      if (random() < 0.03) text += pick(between)
    }
    if (random() < 0.7) text = text.trim()
    if (text.length > 0 && text.length <= 300) texts.add(text)
  }
  return [...texts]
}
