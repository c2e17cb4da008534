/** The fixed texts of the measurements. They were chosen before anything was measured with them. */

/** Lists 1 to 4 of the Harvard sentences (IEEE Recommended Practice for Speech Quality Measurements, 1969). */
export const harvard: readonly string[] = [
  'The birch canoe slid on the smooth planks.',
  'Glue the sheet to the dark blue background.',
  "It's easy to tell the depth of a well.",
  'These days a chicken leg is a rare dish.',
  'Rice is often served in round bowls.',
  'The juice of lemons makes fine punch.',
  'The box was thrown beside the parked truck.',
  'The hogs were fed chopped corn and garbage.',
  'Four hours of steady work faced us.',
  'A large size in stockings is hard to sell.',
  'The boy was there when the sun rose.',
  'A rod is used to catch pink salmon.',
  'The source of the huge river is the clear spring.',
  'Kick the ball straight and follow through.',
  'Help the woman get back to her feet.',
  'A pot of tea helps to pass the evening.',
  'Smoky fires lack flame and heat.',
  "The soft cushion broke the man's fall.",
  'The salt breeze came across from the sea.',
  'The girl at the booth sold fifty bonds.',
  'The small pup gnawed a hole in the sock.',
  'The fish twisted and turned on the bent hook.',
  'Press the pants and sew a button on the vest.',
  'The swan dive was far short of perfect.',
  'The beauty of the view stunned the young boy.',
  'Two blue fish swam in the tank.',
  'Her purse was full of useless trash.',
  'The colt reared and threw the tall rider.',
  'It snowed, rained, and hailed the same morning.',
  'Read verse out loud for pleasure.',
  'Hoist the load to your left shoulder.',
  'Take the winding path to reach the lake.',
  'Note closely the size of the gas tank.',
  'Wipe the grease off his dirty face.',
  'Mend the coat before you go out.',
  'The wrist was badly strained and hung limp.',
  'The stray cat gave birth to kittens.',
  'The young girl gave no clear response.',
  'The meal was cooked before the bell rang.',
  'What joy there is in living.',
]

/** Sentences from old books and speeches: Carroll, Wells, Dickens, Barrie, Aesop, Potter, Grahame, Baum, Austen, Melville … */
export const prose: readonly string[] = [
  'Alice was beginning to get very tired of sitting by her sister on the bank.',
  'The rabbit hole went straight on like a tunnel for some way.',
  'It was the best of times, it was the worst of times.',
  'All children, except one, grow up.',
  'The sun was shining on the sea, shining with all his might.',
  'The north wind and the sun were arguing one day which of them was the stronger.',
  'Once upon a time there were four little rabbits.',
  'The mole had been working very hard all the morning, cleaning his little home.',
  'No one would have believed that this world was being watched.',
  'There is no place like home.',
  'Christmas will not be Christmas without any presents.',
  'A single man in possession of a good fortune must be in want of a wife.',
  'I had little or no money in my purse, and I thought I would sail about a little.',
  'Our fathers brought forth on this continent a new nation.',
  'We hold these truths to be self evident, that all men are created equal.',
  'There was no possibility of taking a walk that day.',
  'His grey eyes shone, and his usually pale face was flushed.',
  'I called upon my friend one day in the autumn of last year.',
  'The world is a great book, and they who never stir from home read only a page.',
  'She was the prettiest creature that was ever seen, and her mother loved her very much.',
]

export const english: readonly string[] = [...harvard, ...prose]

/** Several utterances each, for the places where they meet. */
export const joined: readonly string[] = [
  harvard.slice(0, 6).join(' '),
  prose.slice(0, 5).join('\n\n'),
  `${prose
    .slice(5, 13)
    .map((sentence) => sentence.toLowerCase().replace('.', ''))
    .join(', and ')}.`,
  'Wait! Who is there? "It is me," she said. "Open the door." Then: silence… and no one spoke; not a word.',
  'Dr. Smith paid $3.50 at 9:30 on 3 May 2024. He said 你好，世界 and left. 12 people saw him, i.e. all of us.',
]

export const mandarin: readonly string[] = [
  '今天天气很好，我们一起去公园散步吧。',
  '我们明天早上八点去北京大学看老师。',
  '他昨天在图书馆借了三本书。',
  '请问，去火车站怎么走？',
  '这家饭馆的菜又好吃又便宜。',
  '妈妈说她晚上不回家吃饭了。',
]

/** A Mandarin sentence with English words, the same without them, and those words. */
export const mixed: readonly (readonly [text: string, without: string, words: string])[] = [
  ['我昨天买了一台 computer，很好用。', '我昨天买了一台，很好用。', 'computer'],
  ['他说 good morning，然后走了。', '他说，然后走了。', 'good morning'],
  ['请打开 window，谢谢。', '请打开，谢谢。', 'window'],
  ['我用 iPhone 打了三个电话。', '我用打了三个电话。', 'i phone'],
]
