import { SignalboxError } from '../errors/index.js'

export const BODY_MAX = 1024 * 1024
const DEPTH_MAX = 64

/** The bytes of a request. Stops reading at the limit. @throws SignalboxError `E_TOO_LARGE` */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new SignalboxError('E_TOO_LARGE', `the body is too large; the limit is ${maxBytes} bytes`, { next: 'send less' })
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** A JSON body; `{}` if it is empty. @throws SignalboxError `E_TYPE`, `E_INPUT` */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {}
  // A form of another web page can send text/plain without a CORS preflight, but not this type.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? ''))
    throw new SignalboxError(
      'E_TYPE',
      `the content type of a body must be application/json, not ${contentType ?? 'unset'}`,
      { next: 'set Content-Type: application/json' },
    )
  const text = new TextDecoder().decode(bytes)
  if (depthOf(text) > DEPTH_MAX)
    throw new SignalboxError('E_INPUT', `the body is nested too deeply; the limit is ${DEPTH_MAX} levels`, {
      next: 'reduce the nesting',
    })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SignalboxError('E_INPUT', 'the body is not JSON', { next: 'check its syntax', cause: error })
  }
}

/** Nesting depth of brackets outside strings; deep nesting would overload a parser. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth--
  }
  return deepest
}
