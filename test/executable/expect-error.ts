/** Checks the form of an error answer. */
import { expect } from 'bun:test'

export type ErrorBody = {
  error: { code: string; message: string; type: string; param: string | null; x_relay: { request_id: string } }
}

/** Returns the error of the answer after checking status, code and envelope. */
export async function expectError(answer: Response | Promise<Response>, status: number, code: string, type?: string) {
  const response = await answer
  const { error } = (await response.json()) as ErrorBody
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  if (type) expect(error.type).toBe(type)
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type', 'x_relay'])
  expect(response.headers.get('x-request-id')).toBe(error.x_relay.request_id)
  return error
}
