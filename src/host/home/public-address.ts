import type { Config } from '../../config/index.js'

/** The dashboard's public address, for links; none if others cannot reach it. */
export function publicAddress({ public: isPublic, hosts, port, behind_proxy: isBehindProxy }: Config['server']): {
  dashboard?: string
} {
  const [name] = hosts
  if (!isPublic || name === undefined) return {}
  const hasPort = /:\d+$/.test(name)
  return { dashboard: `https://${name}${isBehindProxy || port === 0 || hasPort ? '' : `:${port}`}` }
}
