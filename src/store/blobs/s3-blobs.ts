import { SignalboxError } from '../../errors/index.js'
import type { BlobBackend } from './blob-store.js'
import { blobsAway } from './blobs-away.js'

const ATTEMPTS_MS = 10_000

/**
 * Blobs as objects of a bucket: `s3://bucket/prefix?endpoint=https://…&region=…`. The keys come
 * from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.
 */
export async function s3Blobs(url: URL, env: NodeJS.ProcessEnv): Promise<BlobBackend> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey)
    throw new SignalboxError('E_CONFIG', 'blobs.url is a bucket, and its keys are missing', {
      next: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the server',
    })
  const { AwsClient } = await import('aws4fetch')
  const region = url.searchParams.get('region') ?? env.AWS_REGION ?? 'us-east-1'
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region, retries: 3 })
  const base = `${endpoint.replace(/\/$/, '')}/${url.hostname}${url.pathname.replace(/\/$/, '')}`
  const request = async (method: string, name: string, body?: Uint8Array) => {
    const answer = await client
      .fetch(`${base}/${name}.br`, {
        method,
        signal: AbortSignal.timeout(ATTEMPTS_MS),
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      })
      .catch(error => {
        throw blobsAway(endpoint, error instanceof Error ? error.message : String(error))
      })
    if (answer.ok || answer.status === 404) return answer
    throw blobsAway(endpoint, `${method} answered ${answer.status}`)
  }
  const noBucket = () => blobsAway(endpoint, `there is no bucket ${url.hostname}`)
  return {
    has: async name => (await request('HEAD', name)).ok,
    write: async (name, compressed) => {
      const answer = await request('PUT', name, compressed)
      if (!answer.ok) throw noBucket()
    },
    read: async name => {
      const answer = await request('GET', name)
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
      if ((await answer.text()).includes('NoSuchBucket')) throw noBucket()
      return null
    },
  }
}
