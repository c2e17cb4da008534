/** Which fault a request asks for, where it may. */
import { faultHeader, parseFaults, type Faults } from '../faults'

export function faultsOf(request: Request, isAllowed: boolean): Faults | undefined {
  const header = isAllowed ? request.headers.get(faultHeader) : null
  return header === null ? undefined : parseFaults(header)
}
