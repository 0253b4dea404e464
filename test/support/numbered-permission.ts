import type { ApprovalRequest } from '../../src/approvals/index.js'

/** A request for a command, equal for equal numbers. */
export function numberedPermission(n: number): ApprovalRequest {
  const option = (key: string, meaning: 'allow-once' | 'deny') => ({
    key,
    label: key,
    meaning,
    from: 'agent' as const,
    danger: null,
  })
  return {
    kind: 'permission',
    subject: { agent: 'test', project: '/project', cwd: '/project', hostName: 'here' },
    request: {
      tool: 'Bash',
      input: { command: `touch ${n}` },
      text: `touch ${n}`,
      questions: [],
      options: [option('yes', 'allow-once'), option('no', 'deny')],
      freeText: 'none',
    },
    source: { channel: 'menu', requestKey: `key-${n}`, evidence: [] },
    fingerprint: String(n).repeat(64),
    instance: `instance-${n}`,
    risk: { level: 'low', reasons: [] },
    display: { title: `touch ${n}`, blocks: [], findings: [], hash: String(n).repeat(64) },
  }
}
