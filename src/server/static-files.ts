import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
}

interface StaticFile {
  bytes: Uint8Array
  /** Compressed with gzip; null if that saves nothing. */
  compressed: Uint8Array | null
  type: string
  tag: string
  /** Its name contains a hash of its content, so it never changes. */
  isHashed: boolean
}

const PAGE = '/index.html'
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signalbox</title>
<h1>Signalbox</h1><p>The dashboard has not been built: <code>npm run build</code>. The API is at <code>/api/v1</code>.</p></html>
`

/**
 * The files of the dashboard. They are read into memory by walking their directory, and requests
 * are looked up by name: the path of a request never reaches the file system. The files contain no
 * user data, so they need no login.
 */
export class StaticFiles {
  readonly #directory: string
  #files = new Map<string, StaticFile>()
  #builtAt = -1

  constructor(directory: string) {
    this.#directory = directory
  }

  answer(path: string, knownTag: string | undefined, encodings = ''): Response {
    this.#refresh()
    const file = this.#files.get(path)
    const takesGzip = /\bgzip\b/.test(encodings)
    if (file) return serve(file, knownTag, takesGzip)
    // Addresses of pages have no extension; an unknown file is not a page.
    if (extname(path) !== '') return new Response('file not found\n', { status: 404, headers: TEXT })
    const page = this.#files.get(PAGE)
    if (page) return serve(page, knownTag, takesGzip)
    return new Response(NOT_BUILT, { headers: { 'content-type': TYPES['.html']! } })
  }

  /** Reads all files again after a new build. */
  #refresh(): void {
    const builtAt = statSync(join(this.#directory, PAGE), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (builtAt === this.#builtAt) return
    this.#builtAt = builtAt
    this.#files = builtAt === 0 ? new Map() : new Map(filesBelow(this.#directory, ''))
  }
}

const TEXT = { 'content-type': TYPES['.txt']! }

function serve(file: StaticFile, knownTag: string | undefined, takesGzip: boolean): Response {
  const { bytes, compressed, type, tag, isHashed } = file
  const isCompressed = takesGzip && compressed !== null
  const headers: Record<string, string> = {
    'content-type': type,
    vary: 'accept-encoding',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
    etag: tag,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  if (knownTag === tag) return new Response(null, { status: 304, headers })
  return new Response((isCompressed ? compressed : bytes) as Uint8Array<ArrayBuffer>, { headers })
}

/** Regular files only: a symbolic link could point outside the directory. */
function* filesBelow(directory: string, path: string): Generator<[string, StaticFile]> {
  let entries: Dirent[]
  try {
    entries = readdirSync(join(directory, path), { withFileTypes: true })
  } catch {
    return
  }
  for (const entry of entries) {
    const name = `${path}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(directory, name)
    else if (entry.isFile()) {
      const bytes = readFileSync(join(directory, name))
      yield [
        name,
        {
          bytes,
          compressed: compressed(bytes, extname(name)),
          type: TYPES[extname(name)] ?? 'application/octet-stream',
          tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
          isHashed: path === '/assets' && /-[A-Za-z0-9_-]{8,}\.\w+$/.test(entry.name),
        },
      ]
    }
  }
}

function compressed(bytes: Uint8Array, extension: string): Uint8Array | null {
  if (!['.html', '.js', '.css', '.svg', '.json', '.webmanifest', '.map'].includes(extension)) return null
  const smaller = gzipSync(bytes, { level: 9 })
  return smaller.length < bytes.length ? smaller : null
}
