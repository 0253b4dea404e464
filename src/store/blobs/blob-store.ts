import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { SignalboxError } from '../../errors/index.js'

/** The longest blob: longer things are several of them. */
export const BLOB_MAX = 4 * 1024 * 1024

/** Stores compressed bytes under a name. */
export interface BlobBackend {
  has(name: string): Promise<boolean>
  write(name: string, compressed: Uint8Array): Promise<void>
  /** Null if it is not there. */
  read(name: string): Promise<Uint8Array | null>
}

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/**
 * Bytes by the SHA-256 of their content, compressed with brotli: the same bytes are kept once, and
 * what is read is what was written.
 */
export class BlobStore {
  readonly #backend: BlobBackend

  constructor(backend: BlobBackend) {
    this.#backend = backend
  }

  /** @throws SignalboxError `E_LIMIT` beyond `BLOB_MAX` */
  async put(bytes: Uint8Array): Promise<string> {
    if (bytes.length > BLOB_MAX)
      throw new SignalboxError('E_LIMIT', `a blob is ${bytes.length} bytes long; the limit is ${BLOB_MAX}`)
    const name = blobName(bytes)
    if (await this.#backend.has(name)) return name
    const compressed = await compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    await this.#backend.write(name, compressed)
    return name
  }

  /**
   * Null if it is not there. @throws SignalboxError `E_BLOB` if its content is not what its name
   * says.
   */
  async get(name: string): Promise<Buffer | null> {
    if (!/^[0-9a-f]{64}$/.test(name)) throw new SignalboxError('E_INPUT', `"${name.slice(0, 80)}" is not a blob`)
    const compressed = await this.#backend.read(name)
    if (!compressed) return null
    const bytes = await decompress(compressed, { maxOutputLength: BLOB_MAX }).catch(() => null)
    if (bytes && blobName(bytes) === name) return bytes
    throw new SignalboxError('E_BLOB', `the blob ${name.slice(0, 12)}… is damaged`)
  }
}

function blobName(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
