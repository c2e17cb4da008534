/** What every error of the service must look like. */
import { expect } from 'bun:test'

export type ErrorBody = {
  error: { code: string; message: string; type: string; param: string | null; x_relay: { request_id: string } }
}

/** The answer's error, after a look at its status, its code and the envelope. */
export async function expectError(answer: Response | Promise<Response>, status: number, code: string, type?: string) {
  const response = await answer
  const { error } = (await response.json()) as ErrorBody
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  if (type) expect(error.type).toBe(type)
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type', 'x_relay'])
  expect(response.headers.get('x-request-id')).toBe(error.x_relay.request_id)
  return error
}
