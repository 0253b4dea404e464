import { writeSync } from 'node:fs'

export interface OutputRecord {
  type: string
  [field: string]: unknown
}

/** Writes records in order: one per line, or indented over lines like an old Cline. */
export class RecordWriter {
  constructor(private readonly isIndented: boolean) {}

  write(record: OutputRecord): void {
    this.bytes(Buffer.from(`${JSON.stringify(record, null, this.isIndented ? 2 : 0)}\n`, 'utf8'))
  }

  /** Synchronous: nothing is lost if the next step is a crash. A full pipe makes it wait. */
  bytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(1, bytes, at)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPIPE') process.exit(141)
        if (code !== 'EAGAIN') throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      }
    }
  }
}
