/**
 * English texts for comparing our front end of Kokoro with that of sherpa-onnx: plain sentences, then pseudo-random
 * words and marks.
 */

const sentences = [
  'The quick brown fox jumps over the lazy dog.',
  'She sells sea shells by the sea shore, and the shells she sells are surely seashells.',
  'How much wood would a woodchuck chuck if a woodchuck could chuck wood?',
  'I never said that he stole the money; I said that he borrowed it.',
  'Wait! Do you hear that? It sounds like thunder, but there are no clouds.',
  'There are three things to remember: patience, practice and a sharp pencil.',
  'The button on the bottle was rotten, and the mountain was certain.',
  'Fire in the hour of power: our tower of flowers.',
  'A curious idea: the engineer near the pier can hear the deer.',
  'Boys and girls enjoy noisy toys, whereas joy annoys the envoy.',
  'Judge the edge of the large orange bridge, George.',
  'Church teachers watch each child catch the ketchup.',
  'Measure the treasure with pleasure, as usual, in the garage.',
  'The rhythm of the prism and the chasm is a truism.',
  'He had read the red book before the lead singer took the lead.',
  'It is what it is, and it was what it was.',
  'Would you like some tea, or do you prefer coffee with milk?',
  'To be or not to be: that is the question.',
  'In the middle of the night, out of the blue, on the edge of the wood.',
  'Give me one of the apples and all of the pears, for the love of the game.',
  'What on earth are you going to do about it?',
  "Don't you think it's time we'd left? They're already there, aren't they?",
  'The nurse heard the first bird chirp early in the third thirsty girl.',
  'Loch Ness is in Scotland, and Bach was a composer.',
  'The mother and father gather together with their other brother.',
  'Thin things think through three thousand thick thoughts.',
  'Singing, ringing, bringing and flinging: the king of the spring.',
  'An onion in an oven is an odd object.',
  'The end of the beginning is the beginning of the end!',
  'Why? Because. Who? Me. When? Now!',
  'Little kettles rattle, metal petals settle, and cattle battle in the saddle.',
  'Photography and photographic are stressed in different places.',
  'Tomorrow, and tomorrow, and tomorrow, creeps in this petty pace from day to day.',
  'Please call Stella and ask her to bring these things from the store.',
  'We the people, in order to form a more perfect union.',
  'Some say the world will end in fire; some say in ice.',
  'All happy families are alike: every unhappy family is unhappy in its own way.',
  'Call me later, please; the meeting starts at noon.',
  'He opened the door, looked around, and closed it again.',
  'Nobody knows the trouble that I have seen, and nobody cares.',
]

const words = (
  'a the of in to is was it that for on with as at by an be this have from or had not are but what all were when we ' +
  'there can said each which she do how their if will up other about out many then them these so some her would make ' +
  'like him into time has look two more write go see number no way could people my than first water been call who oil ' +
  'its now find long down day did get come made may part little button bottle fire hour chair near poor tour player ' +
  'quality nation measure vision judge church thought though through enough rhythm honest island knight colonel queue ' +
  'yacht recipe naive cafe schedule privacy garage tomato aluminium lieutenant vitamin advertisement laboratory data'
).split(' ')
/** Marks that sherpa-onnx feeds, then marks that it drops. */
const fed = ['. ', ', ', '; ', ': ', '? ', '! ']
const unfed = ['… ', ' — ', ' "', '" ', ' (', ') ']

/** Mulberry32: the same texts everywhere. */
function lots(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

function makeTexts(count: number, seed: number, marks: readonly string[]): string[] {
  const draw = lots(seed)
  return Array.from({ length: count }, () => {
    let text = ''
    const length = 3 + draw(14)
    for (let i = 0; i < length; i++) {
      text += words[draw(words.length)]!
      text += i < length - 1 && draw(5) === 0 ? marks[draw(marks.length)]! : ' '
    }
    // Before a lower-case letter eSpeak NG reads a full stop as an abbreviation's.
    return `${text.trim()}${'.?!'[draw(3)]}`.replace(/(^|[.?!…][")]? ["(]?)[a-z]/g, (start) => start.toUpperCase())
  })
}

/** Only with marks that both feed. */
export const plainTexts: readonly string[] = [...sentences, ...makeTexts(300, 1, fed)]
/** With marks of which sherpa-onnx drops some. */
export const markedTexts: readonly string[] = makeTexts(100, 2, [...fed, ...unfed])
/** One sentence each, longer than a single run of a model. */
export const longTexts: readonly string[] = [
  `${Array(9).fill('the river runs past the old mill, under the bridge and down to the sea').join(', ')}.`,
  `${Array(120).fill('honest islands').join(' ')}.`,
]

export const kokoroTexts: readonly string[] = [...plainTexts, ...markedTexts, ...longTexts]

/** The requests to sherpa-onnx, and its graph inputs run by run. */
export type SherpaTable = {
  readonly speaker: number
  readonly speed: number
  /** Per text its runs; per run the symbols of its ids and the row of the style. */
  readonly kokoro: readonly (readonly SherpaRun[])[]
  readonly kitten: readonly (readonly SherpaRun[])[]
}

export type SherpaRun = readonly [symbols: string, row: number]
