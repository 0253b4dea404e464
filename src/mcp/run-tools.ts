import { z } from 'zod'
import { at, withQuery } from './api.js'
import type { McpOptions } from './mcp-server.js'
import { directoryOf } from './session-tools.js'
import type { ToolRegistry } from './tool-registry.js'

const run = z.string().min(1).max(64).describe('the id of a run, or a unique beginning of it')
const agent = z.string().min(1).max(60).optional()

export function addRunTools(tools: ToolRegistry, { api, project }: McpOptions): void {
  tools.add('runs_list', {
    title: 'List runs',
    description: 'Runs of workflows, newest first.',
    input: z.object({
      status: z
        .enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'rejected', 'cancelled'])
        .optional(),
      limit: z.int().min(1).max(100).default(20),
    }),
    isReading: true,
    run: ({ status, limit }) => api('GET', withQuery('/runs', { status, limit })),
  })
  tools.add('run_start', {
    title: 'Start a run',
    description:
      'Starts a workflow in the daemon: kind oneshot (a worker and an auditor, needs task), implementation (needs title or issue), review, pull_request. Its questions wait for a person.',
    input: z.object({
      kind: z.enum(['oneshot', 'implementation', 'review', 'pull_request']),
      task: z.string().min(1).max(100_000).optional().describe('for oneshot'),
      input: z
        .record(z.string(), z.unknown())
        .default({})
        .describe('for pipelines: title, issue, description, range, run …'),
      project: z.string().min(1).max(4096).optional().describe('an absolute path'),
      agent,
    }),
    run: async ({ kind, task, input, project: wanted, agent: name }, call) => {
      const directory = directoryOf(wanted ?? project, call)
      const own = name === undefined ? {} : { agent: name }
      return api(
        'POST',
        '/runs',
        kind === 'oneshot'
          ? {
              oneshot: { task: task ?? call.ask('task', 'What should the agent do?') ?? '', ...own },
              project: directory,
            }
          : { pipeline: kind, input: { ...input, ...own }, project: directory },
      )
    },
  })
  tools.add('run_show', {
    title: 'Show a run',
    description: 'The state of a run, its nodes and its open questions.',
    input: z.object({ run }),
    isReading: true,
    run: async ({ run: id }) => ({
      run: await api('GET', `/runs/${at(id)}`),
      nodes: await api('GET', `/runs/${at(id)}/nodes`),
      gates: await api('GET', `/runs/${at(id)}/gates`),
    }),
  })
  tools.add('run_cancel', {
    title: 'Cancel a run',
    description: 'Ends a run, and the runs it started.',
    input: z.object({ run, reason: z.string().max(2_000).default('cancelled over MCP') }),
    isDestructive: true,
    run: ({ run: id, reason }) => api('POST', `/runs/${at(id)}/cancel`, { reason }),
  })
  tools.add('run_resume', {
    title: 'Resume a run',
    description: 'Continues a paused or failed run.',
    input: z.object({ run }),
    run: ({ run: id }) => api('POST', `/runs/${at(id)}/resume`),
  })
}
