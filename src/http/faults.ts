/** Reads the faults that a request asks for, if the server allows them. */
import { faultHeader, parseFaults, type Faults } from '../faults'

export function faultsOf(request: Request, isAllowed: boolean): Faults | undefined {
  const header = isAllowed ? request.headers.get(faultHeader) : null
  return header === null ? undefined : parseFaults(header)
}
