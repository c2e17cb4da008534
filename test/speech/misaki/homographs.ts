/**
 * English words with two readings, in sentences of our own that have one right answer. Patterns tell the readings of
 * American phonemes apart; they leave open what dialects and front ends write differently.
 */

export type Homograph = {
  readonly word: string
  readonly readings: readonly { readonly pattern: RegExp; readonly sentences: readonly string[] }[]
}

const two = (
  word: string,
  first: readonly [RegExp, ...string[]],
  second: readonly [RegExp, ...string[]],
): Homograph => ({
  word,
  readings: [first, second].map(([pattern, ...sentences]) => ({ pattern, sentences })),
})

export const homographs: readonly Homograph[] = [
  two(
    'read',
    [
      /ɹˈi/,
      'I read the newspaper every morning.',
      'Please read the first page aloud.',
      'Can you read this for me?',
      'She likes to read in bed.',
    ],
    [
      /ɹˈɛ/,
      'I have read that book twice.',
      'Yesterday she read the whole letter.',
      'The note was read by nobody.',
      'He had read about it before.',
    ],
  ),
  two(
    'live',
    [/lˈɪ/, 'They live in a small village.', 'Where do you live?', 'We want to live near the sea.'],
    [/lˈI/, 'The match was shown on live television.', 'It was a live broadcast.', 'A live wire hung from the pole.'],
  ),
  two(
    'lives',
    [/lˈɪ/, 'My brother lives in Boston.', 'Nobody lives here anymore.'],
    [/lˈI/, 'The firemen saved many lives.', 'Their lives changed that day.'],
  ),
  two(
    'record',
    [/ɹˈɛ/, 'She broke the world record.', 'Keep a record of your expenses.', 'He put on an old record.'],
    [/kˈɔ/, 'They want to record a song.', 'We will record the meeting.', 'Please record your name after the tone.'],
  ),
  two(
    'lead',
    [/lˈi/, 'This road will lead you home.', 'She took the lead in the race.', 'They lead a quiet life.'],
    [/lˈɛ/, 'The old pipes were made of lead.', 'Paint with lead is dangerous.', 'The box was as heavy as lead.'],
  ),
  two(
    'wind',
    [/wˈɪ/, 'The wind blew all night.', 'A cold wind came from the north.', 'There is hardly any wind today.'],
    [
      /wˈI/,
      'Do not forget to wind the clock.',
      'You must wind the rope around the post.',
      'The paths wind through the hills.',
    ],
  ),
  two(
    'use',
    [/jˈuz/, 'You may use my phone.', 'How do I use this tool?', 'They use the same method.'],
    [/jˈus/, 'It is of no use.', 'The use of force is forbidden.', 'What is the use of it?'],
  ),
  two(
    'used',
    [/jˈus/, 'I used to smoke.', 'She used to live next door.'],
    [/jˈuz/, 'He used a hammer.', 'They sell used cars.'],
  ),
  two(
    'tear',
    [/tˈɪ/, 'A tear ran down her cheek.', 'He wiped away a tear.'],
    [
      /tˈɛ/,
      'Be careful not to tear the paper.',
      'They want to tear down the wall.',
      'You could tear your coat on that nail.',
    ],
  ),
  two(
    'bow',
    [/bˈO/, 'She tied the ribbon in a bow.', 'He shot an arrow from his bow.'],
    [/bˈW/, 'The actors bow to the audience.', 'You should bow before the queen.'],
  ),
  two(
    'close',
    [/klˈOs/, 'The shop is close to the station.', 'It was a close race.', 'They are close friends.'],
    [/klˈOz/, 'Please close the door.', 'The banks close at noon.', 'We had to close the window.'],
  ),
  two(
    'object',
    [/ˈɑ/, 'A strange object lay on the table.', 'The object of the game is simple.'],
    [/ʤˈɛ/, 'I object to this plan.', 'Nobody will object to that.'],
  ),
  two(
    'present',
    [/pɹˈɛ/, 'She gave him a birthday present.', 'The present situation is difficult.', 'All members were present.'],
    [/zˈɛ/, 'I would like to present my guest.', 'They will present the results tomorrow.'],
  ),
  two(
    'content',
    [/kˈɑ/, 'The content of the letter was secret.', 'We check all content before it is published.'],
    [/tˈɛ/, 'He was content with his life.', 'She seemed quite content.'],
  ),
  two(
    'minute',
    [/mˈɪ/, 'Wait a minute.', 'The last minute was the best.'],
    [/njˈu|nˈu/, 'There were minute traces of poison.', 'He examined it in minute detail.'],
  ),
  two(
    'desert',
    [/dˈɛ/, 'Camels cross the desert.', 'The desert is cold at night.'],
    [/zˈɜ/, 'Do not desert your friends.', 'The soldiers will desert the army.'],
  ),
  two(
    'refuse',
    [/fjˈu/, 'I refuse to answer.', 'They refuse all help.'],
    [/ɹˈɛ/, 'The refuse is collected on Fridays.', 'Piles of refuse lay in the street.'],
  ),
  two(
    'wound',
    [/wˈu/, 'The wound healed quickly.', 'A nurse cleaned the wound.'],
    [/wˈW/, 'He wound the rope around the post.', 'She had wound the clock.'],
  ),
  two(
    'bass',
    [/bˈA/, 'He plays the bass guitar.', 'She sang, and he played bass.'],
    [/bˈæ/, 'He caught a large bass in the lake.', 'We ate grilled bass for dinner.'],
  ),
  two(
    'dove',
    [/dˈʌ/, 'A white dove sat on the roof.', 'The dove is a symbol of peace.'],
    [/dˈO/, 'She dove into the pool.', 'The pilot dove towards the ground.'],
  ),
  two(
    'invalid',
    [/vˈæ/, 'The ticket is invalid.', 'That was an invalid argument.'],
    [/ˈɪn/, 'He cared for his invalid mother.', 'The old man was an invalid.'],
  ),
  two(
    'permit',
    [/pˈɜ/, 'You need a permit to fish here.', 'The work permit has expired.'],
    [/mˈɪ/, 'We do not permit smoking.', 'The rules permit it.'],
  ),
  two(
    'produce',
    [/dˈu|djˈu|dʒˈu|ʤˈu/, 'These factories produce steel.', 'They produce two films a year.'],
    [/pɹˈ/, 'The market sells fresh produce.', 'Local produce is cheaper.'],
  ),
  two(
    'project',
    [/pɹˈ/, 'The project was a success.', 'She leads a research project.'],
    [/ʤˈɛ/, 'They project a profit for next year.', 'You must project your voice.'],
  ),
  two(
    'conduct',
    [/kˈɑ/, 'His conduct was excellent.', 'The players follow a code of conduct.'],
    [/dˈʌ/, 'Metals conduct electricity.', 'She will conduct the orchestra.'],
  ),
  two(
    'contract',
    [/kˈɑ/, 'He signed the contract.', 'Our contract ends in May.'],
    [/tɹˈæ/, 'Metals contract when they cool.', 'You can contract the disease from animals.'],
  ),
  two(
    'conflict',
    [/kˈɑ/, 'The conflict lasted for years.', 'They wanted to avoid a conflict.'],
    [/flˈɪ/, 'The two reports conflict with each other.', 'These dates conflict with my holiday.'],
  ),
  two(
    'insult',
    [/ˈɪn/, 'That was an insult.', 'He ignored the insult.'],
    [/sˈʌ/, 'Do not insult the waiter.', 'They insult everyone.'],
  ),
  two(
    'perfect',
    [/pˈɜ/, 'It was a perfect day.', 'Nobody is perfect.'],
    [/fˈɛ/, 'She went to Paris to perfect her French.', 'They tried to perfect the method.'],
  ),
  two(
    'progress',
    [/pɹˈ/, 'We made good progress.', 'The progress of the work was slow.'],
    [/ɡɹˈɛ/, 'The talks did not progress.', 'As we progress, it gets harder.'],
  ),
  two(
    'rebel',
    [/ɹˈɛ/, 'He was a rebel all his life.', 'The rebel army attacked.'],
    [/bˈɛ/, 'The people will rebel against the king.', 'Teenagers often rebel.'],
  ),
  two(
    'subject',
    [/sˈʌ/, 'What is the subject of the mail?', 'History is my favourite subject.'],
    [/ʤˈɛ/, 'They want to subject him to a test.', 'We subject every part to heat.'],
  ),
  two(
    'suspect',
    [/sˈʌ/, 'The suspect was arrested.', 'Police questioned a suspect.'],
    [/spˈɛ/, 'I suspect that he lied.', 'Do you suspect anybody?'],
  ),
  two(
    'excuse',
    [/kjˈuz/, 'Please excuse me.', 'I cannot excuse such behaviour.'],
    [/kjˈus/, 'He had a good excuse.', 'There is no excuse for that.'],
  ),
  two(
    'abuse',
    [/bjˈuz/, 'They abuse their power.', 'You should not abuse his trust.'],
    [/bjˈus/, 'The abuse of power must end.', 'She reported the abuse.'],
  ),
  two(
    'house',
    [/hˈWs/, 'They built a new house.', 'The house is empty.'],
    [/hˈWz/, 'The museum will house the collection.', 'These cages house the birds.'],
  ),
  two(
    'separate',
    [/əɹət|ɹət|əɹɪt|ɹɪt/, 'They sleep in separate rooms.', 'That is a separate matter.'],
    [/A/, 'You should separate the eggs.', 'We separate glass from paper.'],
  ),
  two(
    'estimate',
    [/mə|mɪ/, 'He gave us an estimate.', 'The first estimate was too low.'],
    [/A/, 'Experts estimate the damage at a million.', 'Can you estimate the cost?'],
  ),
  two(
    'graduate',
    [/ət|ɪt/, 'She is a graduate of Yale.', 'He is a graduate student.'],
    [/A/, 'They will graduate in June.', 'I hope to graduate next year.'],
  ),
  two(
    'elaborate',
    [/əɹət|ɹət|ɹɪt/, 'It was an elaborate plan.', 'She wore an elaborate dress.'],
    [/A/, 'Could you elaborate on that?', 'He refused to elaborate.'],
  ),
  two(
    'increase',
    [/ˈɪn/, 'There was an increase in prices.', 'The increase surprised us.'],
    [/kɹˈi/, 'Prices will increase next year.', 'They want to increase the speed.'],
  ),
  two(
    'import',
    [/ˈɪm/, 'The import of cars fell.', 'An import tax was added.'],
    [/pˈɔ/, 'They import coffee from Brazil.', 'We have to import our oil.'],
  ),
  two(
    'entrance',
    [/ˈɛn/, 'The entrance is on the left.', 'We met at the entrance.'],
    [/tɹˈæ/, 'Her songs entrance the audience.', 'The dancers will entrance you.'],
  ),
  two(
    'row',
    [/ɹˈO/, 'We sat in the front row.', 'They row across the lake.'],
    [/ɹˈW/, 'The neighbours had a terrible row.', 'There was a row about money.'],
  ),
  two(
    'sow',
    [/sˈO/, 'Farmers sow wheat in autumn.', 'You reap what you sow.'],
    [/sˈW/, 'The sow had nine piglets.', 'A sow is a female pig.'],
  ),
]

/** Phonemes of a sentence's words; a front end may merge words. */
export type ReadWords = (sentence: string) => Promise<readonly { readonly text: string; readonly phonemes: string }[]>

/** Sentences in which the word has another reading than the right one, with its phonemes. */
export async function findWrongReadings(readWords: ReadWords): Promise<string[]> {
  const wrong: string[] = []
  for (const { word, readings } of homographs)
    for (const { pattern, sentences } of readings)
      for (const sentence of sentences) {
        const words = await readWords(sentence)
        const found = words.find(({ text }) =>
          text
            .toLowerCase()
            .split(/[^a-z]+/)
            .includes(word),
        )
        if (!found || !pattern.test(found.phonemes)) wrong.push(`${sentence} (${word}: ${found?.phonemes})`)
      }
  return wrong
}

export const homographSentences = homographs.flatMap(({ readings }) => readings.flatMap(({ sentences }) => sentences))
