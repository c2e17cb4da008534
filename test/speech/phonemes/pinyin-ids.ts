/** `phoneme_id_map` of Piper's voices with the phoneme type `pinyin`. */

type Ids = readonly (readonly [string, readonly number[]])[]

export const pinyinIds: ReadonlyMap<string, readonly number[]> = new Map([
  ...numbered(0, ['_', '^', '$']),
  ...numbered(3, 'Ø b p m f d t n l g k h j q x zh ch sh r z c s y w'.split(' ')),
  ...numbered(27, 'a o e ai ei ao ou an en ang eng ong i ia ie iao iu ian in iang ing iong'.split(' ')),
  ...numbered(49, 'u ua uo uai ui uan un uang ueng v ve van vn er ue 1 2 3 4 5 。 ？ ！'.split(' ')),
  ...Array.from('—…、，：； ', (mark) => [mark, [72]] as const),
])

function numbered(first: number, symbols: readonly string[]): Ids {
  return symbols.map((symbol, i) => [symbol, [first + i]])
}
