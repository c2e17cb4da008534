/** Texts for measuring voices: our own everyday sentences, none of which is in the tests of word errors. */
import { tuningTexts } from '../src/speech/tuning-texts'

const english = [
  'My neighbour keeps a small dog that barks at every passing bus.',
  'We had to wait an hour before the doors were opened.',
  'The soup is still hot, so be careful with the bowl.',
  'Every summer they rent a cottage close to the lake.',
  'I forgot my umbrella, and of course it began to pour.',
  'The judge asked the witness to speak a little louder.',
  'Fresh bread and yellow cheese were all that was left.',
  'He put the letter into a thick brown envelope.',
  'You should have seen the view from the top of the tower.',
  'Few people know how the machine really works.',
  'Their daughter plays the violin in a youth orchestra.',
  'Please check the oil before you start such a long journey.',
  'A cold wind blew through the cracks in the wooden wall.',
  'She measured the flour, the sugar, and the butter twice.',
  'Which of these jackets would you choose for a funeral?',
  'The museum is closed on Mondays but open on public holidays.',
  'Nobody noticed that the picture was hanging upside down.',
  'It takes about four minutes to boil an egg like that.',
  'The farmer shut the gate and watched the sheep go by.',
  'Thanks for the advice, I will think about it tonight.',
]

const mandarin = [
  '广告公司昨天宣布，新的产品将在秋季上市。',
  '老师说，学习语言需要耐心和时间。',
  '请把窗户关上，外面下雨了。',
  '他们打算明年春天去北京旅行。',
  '我姐姐在医院工作，每天都很忙。',
  '这家饭馆的鱼做得非常好吃。',
  '火车晚点了半个小时，大家都等得不耐烦。',
  '如果有问题，可以随时给我打电话。',
]

/** The sentences for a voice of this language (BCP 47): those of the language, else its demos. */
export function textsOf(language: string): readonly string[] {
  const base = language.split('-')[0]!
  if (base === 'en') return english
  if (base === 'zh') return mandarin
  return tuningTexts(language)
}
