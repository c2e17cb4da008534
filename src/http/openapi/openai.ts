/** Schemas of the OpenAI-style endpoints. */
import { limits } from '../../config'
import { integer, list, number, object, orNull, reference, text, type Schema } from '../../operations/schema'
import { spokenPattern } from '../../operations/rules'
import { openAiFieldNames, responseFormats } from '../openai'

const { inputCharactersMax, speedMin: minimum, speedMax: maximum } = limits

const named = (what: string) =>
  object({
    id: text(`The value for \`${what}\`.`),
    name: text('For display.'),
    object: { const: what },
  })

const lists = (item: string) => ({ object: { const: 'list' } as Schema, data: list(reference(item)) })

export const openAiSchemas = {
  OpenAiSpeechRequest: object(
    {
      model: text('One of `GET /v1/models`. The voice decides; the model is only checked.', { minLength: 1 }),
      input: text('The text to speak. Characters are Unicode code points. Not only white space.', {
        minLength: 1,
        maxLength: inputCharactersMax,
        pattern: spokenPattern,
      }),
      voice: {
        description:
          'An id of `GET /v1/audio/voices`, or one of OpenAI\'s names, which stand for the voices of the account in their order. Omitted, null or "": the first voice.',
        anyOf: [{ type: 'string' }, object({ id: text('The same as an object.') }), { type: 'null' }],
      },
      response_format: orNull(
        text(
          '`opus` is in Ogg, `aac` is AAC-LC in ADTS, `pcm` is 16 bit, little-endian, mono, 24 kHz, without a head. Default: `mp3`.',
          {
            enum: responseFormats,
          },
        ),
      ),
      speed: orNull(
        number('OpenAI allows 0.25 to 4.0; this service speaks at 0.5 to 2.0. Default: 1.', { minimum, maximum }),
      ),
      instructions: orNull(text('Accepted and ignored.')),
      stream_format: orNull(
        text('`sse`: the sound in server-sent events. Default: `audio`.', { enum: ['audio', 'sse'] }),
      ),
    },
    {
      optional: ['voice', 'response_format', 'speed', 'instructions', 'stream_format'],
      description: 'Unknown fields are ignored, except likely mistakes for these fields, such as `text` or `voice_id`.',
      propertyNames: { not: { enum: Object.keys(openAiFieldNames.synonyms) } },
    },
  ),
  Model: object({
    id: text('The value for `model`.'),
    object: { const: 'model' },
    created: integer('Always 0: a model has no date here.'),
    owned_by: text('Always `sonant`.'),
  }),
  ModelList: object(lists('Model')),
  SpeechModel: named('model'),
  SpeechModelList: object({ ...lists('SpeechModel'), models: list(reference('SpeechModel')) }),
  SpeechVoice: named('voice'),
  SpeechVoiceList: object({ ...lists('SpeechVoice'), voices: list(reference('SpeechVoice')) }),
} satisfies Record<string, Schema>
