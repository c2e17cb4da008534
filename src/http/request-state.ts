/** Every request has an id: a UUIDv7 (RFC 9562) as 32 hexadecimal characters. Answers carry it in `X-Request-Id`. */

const ids = new WeakMap<Request, string>()

export function requestIdOf(request: Request): string {
  let id = ids.get(request)
  if (!id) ids.set(request, (id = Bun.randomUUIDv7('hex').replaceAll('-', '')))
  return id
}
