import { type ApprovalRecord, readToolUse } from '../../approvals/index.js'

/** *Allow this edit once*, whatever the agent's menu calls it. */
export function allowQuestion({ request }: Pick<ApprovalRecord, 'request'>): string {
  const { kind } = readToolUse(request.tool, request.input)
  return `Allow this ${kind === 'command' ? 'command' : kind === 'write' ? 'edit' : 'request'} once`
}
