/** The names of OpenAI's voices. Clients that offer only these get a voice of the account's list for each. */

/** In the order in which they stand for the voices of a list. */
export const openAiNames: readonly string[] = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
]

/**
 * Returns the id of the voice that `name` stands for: the name itself unless it is one of OpenAI's and no voice has it
 * as its id. The names wrap around a short list. Undefined: the list is empty.
 */
export function voiceIdOf(
  name: string,
  { isVoice, list }: { readonly isVoice: (id: string) => boolean; readonly list: () => readonly string[] },
): string | undefined {
  const index = openAiNames.indexOf(name)
  if (index < 0 || isVoice(name)) return name
  const ids = list()
  return ids[index % ids.length]
}
