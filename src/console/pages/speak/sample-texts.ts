/** A ready sentence in the language of a voice, so that a new person hears something at one click. */

const samples: Readonly<Record<string, string>> = {
  de: 'Hallo! Dies ist mein erster Satz. Die Sonne scheint, der Kaffee ist heiß, und ich lese vor, was du schreibst.',
  en: 'Hello! This is my first sentence. The sun is up, the coffee is hot, and I read aloud whatever you write here.',
  es: '¡Hola! Esta es mi primera frase. Brilla el sol, el café está caliente, y leo en voz alta lo que escribas aquí.',
  fr: 'Bonjour ! Voici ma première phrase. Le soleil brille, le café est chaud, et je lis ce que vous écrivez ici.',
  hi: 'नमस्ते! यह मेरा पहला वाक्य है। आप यहाँ जो भी लिखेंगे, वह पढ़कर सुनाया जाएगा।',
  it: 'Ciao! Questa è la mia prima frase. Splende il sole, il caffè è caldo, e leggo ad alta voce ciò che scrivi qui.',
  ja: 'こんにちは。これは最初の文です。ここに書かれたことを、声に出して読みます。',
  nl: 'Hallo! Dit is mijn eerste zin. De zon schijnt, de koffie is warm, en ik lees voor wat je hier schrijft.',
  pl: 'Cześć! To moje pierwsze zdanie. Świeci słońce, kawa jest gorąca, a ja czytam na głos to, co tu napiszesz.',
  pt: 'Olá! Esta é a minha primeira frase. O sol brilha, o café está quente, e eu leio em voz alta o que você escrever.',
  ru: 'Здравствуйте! Это моё первое предложение. Светит солнце, кофе горячий, и я читаю вслух всё, что вы напишете.',
  tr: 'Merhaba! Bu benim ilk cümlem. Güneş parlıyor, kahve sıcak, ve buraya yazdığınızı sesli okuyorum.',
  uk: 'Вітаю! Це моє перше речення. Світить сонце, кава гаряча, і я читаю вголос усе, що ви напишете.',
  zh: '你好！这是我的第一句话。太阳出来了，咖啡还是热的，你在这里写什么，我就读什么。',
}

/** `language` is BCP 47. */
export function sampleText(language: string | undefined): string {
  return samples[language?.split('-')[0]?.toLowerCase() ?? 'en'] ?? samples.en!
}
