/** A bucket for tests. The package has no types. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net'
  export default class S3rver {
    constructor(options: Record<string, unknown>)
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
