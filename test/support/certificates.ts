import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificate {
  cert: string
  key: string
}

/** An authority of a test, which signs certificates for names. Its files are in this directory. */
export class Authority {
  readonly file: string
  readonly #directory: string
  readonly #name: string

  constructor(directory: string, name: string) {
    this.#directory = directory
    this.#name = name
    this.file = this.#path('crt')
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes']
    openssl('req', '-x509', ...KEY, ...subject, '-keyout', this.#path('key'), '-out', this.file)
  }

  sign(host: string): Certificate {
    const [key, request, cert, names] = ['key', 'csr', 'crt', 'names'].map(kind => this.#path(`${host}.${kind}`))
    openssl('req', ...KEY, '-nodes', '-subj', `/CN=${host}`, '-keyout', key!, '-out', request!)
    writeFileSync(names!, `subjectAltName=DNS:${host}\n`)
    const signer = ['-CA', this.file, '-CAkey', this.#path('key'), '-CAcreateserial', '-days', '2']
    openssl('x509', '-req', '-in', request!, ...signer, '-extfile', names!, '-out', cert!)
    return { cert: readFileSync(cert!, 'utf8'), key: readFileSync(key!, 'utf8') }
  }

  #path(kind: string): string {
    return join(this.#directory, `${this.#name}.${kind}`)
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
