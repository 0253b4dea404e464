import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installedPackage, installPackage, packageCache } from '../../process/index.js'

const PACKAGE = { name: 's3rver', version: '3.7.1' }
const BUCKET = 'signalbox'
/** The only keys that this server knows. */
export const OBJECT_STORE_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** A bucket on this machine, for demos and tests: what a cluster has at its provider. */
export async function prepareObjectStore(
  directory: string,
  port: number,
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<{ args: readonly string[]; url: string }> {
  if (installedPackage(packageCache(env), PACKAGE) === null) note('getting a small S3 server from npm, once …')
  const installed = await installPackage(packageCache(env), PACKAGE, env)
  const program = createRequire(join(installed, 'package.json')).resolve(join(installed, 'bin', 's3rver.js'))
  const flags = ['--directory', join(directory, 'buckets'), '--address', '127.0.0.1', '--port', String(port)]
  return {
    args: [program, ...flags, '--silent', '--configure-bucket', BUCKET],
    url: `s3://${BUCKET}/engine?endpoint=http://127.0.0.1:${port}`,
  }
}
