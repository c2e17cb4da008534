/**
 * Texts for comparing the real models with sherpa-onnx. Kokoro's are made of frequent words of its languages and marks
 * that both feed, the same on every run.
 */
import { createRandom } from '../random'
import { english } from '../voice-quality/texts'
import { makeTexts } from './texts'

const wordsByVoice: Readonly<Record<string, string>> = {
  es: `el la de que y en un ser se no haber por con su para como estar tener le lo todo pero más hacer o poder decir este
    ir otro ese si me ya ver porque dar cuando él muy sin vez mucho saber qué sobre mi alguno mismo yo también hasta año
    dos querer entre así primero desde grande eso ni nos llegar pasar tiempo ella día uno bien poco deber entonces poner
    cosa tanto hombre parecer nuestro tan donde ahora parte después vida quedar siempre creer hablar llevar dejar nada
    cada seguir menos nuevo encontrar mañana corazón guitarra lluvia ciudad aquí niño pequeño agua huevo guerra vergüenza`,
  fr: `le la de un être et à il avoir ne je son que se qui dans en du elle au pour pas vous par sur faire plus dire me
    on mon lui nous comme mais pouvoir avec tout y aller voir bien où sans tu ou leur homme si deux mari moi vouloir te
    femme venir quand grand celui notre devoir là jour prendre même votre tout rien petit encore aussi quelque dont
    heure ville aujourd'hui garçon œuvre Noël l'été qu'il belle soleil fenêtre château oiseau manger longtemps`,
  hi: `यह है और नमस्ते दुनिया में का की से हम आप भारत पानी अच्छा घर लोग समय दिन रात सूरज चाँद किताब पढ़ना लिखना बच्चा माँ पिता शहर गाँव
    नदी पहाड़ फूल पेड़ गाना संगीत खाना दूध चाय बाज़ार सड़क गाड़ी स्कूल शिक्षक काम आज कल सुबह शाम बहुत थोड़ा बड़ा छोटा नया पुराना`,
  it: `il di che è e la un in per non una sono mi si lo ma ti ho le con cosa se io come da ci no questo qui bene tu sì me
    mio perché solo suo ora quando anche così molto chi fatto era tutto della su fare andare casa tempo vita uomo donna
    giorno anno mano occhio parola città acqua strada famiglia amico lavoro notte sole mare gnocchi figlio scuola
    ragazzo bello grande piccolo buono nuovo vecchio sempre mai oggi domani ieri forse davvero aglio cielo pesce`,
  'pt-br': `o a de que e do da em um para com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou
    ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas
    me esse eles estão você tinha foram essa num nem suas meu às minha têm numa pelos elas havia coração manhã amanhã
    cidade água fogo menino mulher homem trabalho escola música chuva sol noite irmã avó pão mãe feijão filho`,
}
const marks = ['. ', ', ', ', ', '; ', ': ', '? ', '! ']
/** Kokoro's languages that eSpeak NG reads, by its voices; the first letter of a style for each. */
export const kokoroVoices: Readonly<Record<string, string>> = { es: 'e', fr: 'f', hi: 'h', it: 'i', 'pt-br': 'p' }

/** Real sentences, then awkward and pseudo-random texts. */
export function joeTexts(count: number): string[] {
  return [...english, ...makeTexts('en-us', 1_500, 12).slice(-count)].slice(0, count)
}

export function kokoroRealTexts(voice: string, count: number): string[] {
  const { next, below, pick } = createRandom(7)
  const words = wordsByVoice[voice]!.split(/\s+/)
  return Array.from({ length: count }, () => {
    const length = 4 + below(12)
    const said = Array.from({ length }, (_, i) => {
      const mark = i < length - 1 && next() < 0.2 ? pick(marks) : ' '
      return `${pick(words)}${mark}`
    })
    const text = `${said.join('').trim()}${pick(['.', '?', '!'])}`
    // Before a small letter eSpeak NG reads a full stop as an abbreviation's.
    return text.replace(/(^|[.?!] )\p{Ll}/gu, (start) => start.toUpperCase())
  })
}
