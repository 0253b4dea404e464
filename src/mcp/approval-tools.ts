import { z } from 'zod'
import { at, withQuery } from './api.js'
import type { McpOptions } from './mcp-server.js'
import type { ToolRegistry } from './tool-registry.js'

/**
 * Requests can be read. They can be decided only if the owner has named for whom (`mcp.decide_as`).
 */
export function addApprovalTools(tools: ToolRegistry, { api, decidesAs, insideSession }: McpOptions): void {
  tools.add('approvals_list', {
    title: 'List requests for a decision',
    description: 'What agents and runs ask a person for. Only a person decides.',
    input: z.object({
      session: z.string().optional(),
      run: z.string().optional(),
      limit: z.int().min(1).max(100).default(20),
    }),
    isReading: true,
    run: ({ session, run, limit }) => api('GET', withQuery('/approvals', { session, run, limit })),
  })
  if (decidesAs === null) return
  tools.add('approval_decide', {
    title: 'Decide a request',
    description: `Decides a request once, for ${decidesAs.name}. The ledger records that this client did it.`,
    input: z.object({
      id: z.string().min(1).max(64),
      fingerprint: z.string().min(12).max(64).describe('of the request as it was listed'),
      option: z.string().min(1).max(200),
      note: z.string().max(2_000).optional(),
    }),
    isDestructive: true,
    run: async ({ id, fingerprint, option, note }) => {
      const { display } = (await api('GET', `/approvals/${at(id)}`)) as { display: { hash: string } }
      return api('POST', `/approvals/${at(id)}/decision`, {
        fingerprint,
        option,
        ...(note !== undefined && { note }),
        // A program has not seen anything: what is risky is left to people.
        seen: { displayHash: display.hash, whole: false },
        actor: { id: decidesAs.id, name: `${decidesAs.name} (MCP)` },
        surface: 'api',
        ...(insideSession !== undefined && { insideSession }),
      })
    },
  })
}
