import { describe, expect, it } from 'vitest'
import type { LogLine, RunNode } from '../api/types'
import { groupLog } from './log-groups'
import { stepName } from './step-name'

const NODES = [{ node: 'soak', label: 'Soak test', status: 'cancelled' }] as unknown as RunNode[]
const line = (type: string, more: Partial<LogLine> = {}): LogLine => ({
  at: '2026-03-01T10:00:00.000Z',
  level: 'info',
  node: 'soak',
  step: null,
  source: 'run',
  type,
  text: '',
  ...more,
})

describe('the log of a run on the page', () => {
  it('has a group per visit, sentences instead of events, and messages of agents', () => {
    const groups = groupLog(
      [
        line('run.started', { node: null }),
        line('node.started'),
        line('edge.selected', { text: 'weight' }),
        line('text', { source: 'agent', text: 'Running it' }),
        line('result', { source: 'agent', text: 'Running it\n' }),
        line('node.finished', { level: 'error', text: 'exit code 7' }),
        line('checkpoint.saved'),
        line('node.started'),
        line('gate.opened', { node: null }),
        line('run.cancelled', { node: null }),
      ],
      NODES,
    )
    expect(groups.map(({ title, status, lines }) => [title, status, lines.map(({ text }) => text)])).toEqual([
      ['', null, ['The run started']],
      ['Soak test', 'fail', ['Running it', 'Exit code 7']],
      ['Soak test, visit 2', 'cancelled', ['Waiting for your answer']],
      ['', null, ['The run was cancelled']],
    ])
  })

  it('omits the start and end of the graph, and separates tools from their results', () => {
    const nodes = [
      { node: 'start', label: 'start', handler: 'start', status: 'success' },
      { node: 'work', label: 'Work', handler: 'codergen', status: 'success' },
    ] as unknown as RunNode[]
    const groups = groupLog(
      [
        line('node.started', { node: 'start' }),
        line('node.finished', { node: 'start' }),
        line('node.started', { node: 'work' }),
        line('tool_call', { node: 'work', source: 'agent', text: 'Edit DEMO.md' }),
        line('tool_result', { node: 'work', source: 'agent', text: 'ok' }),
      ],
      nodes,
    )
    expect(groups.map(({ title, lines }) => [title, lines.map(({ kind }) => kind)])).toEqual([
      ['Work', ['tool', 'result']],
    ])
  })

  it('assigns the output of one of several agents of a node to the visit of the node', () => {
    const nodes = [{ node: 'reviewer', label: 'Reviewer', status: 'success' }] as unknown as RunNode[]
    const groups = groupLog(
      [
        line('node.started', { node: 'reviewer' }),
        line('text', { node: 'reviewer:security', source: 'agent', text: 'Safe' }),
        line('node.finished', { node: 'reviewer' }),
        line('step.finished', { node: 'reviewer:security' }),
      ],
      nodes,
    )
    expect(groups).toMatchObject([{ title: 'Reviewer', status: 'success', lines: [{ text: 'Safe' }] }])
  })

  it('names steps by the label of their node', () => {
    expect(stepName('soak@1#1', NODES)).toBe('Soak test')
    expect(stepName('run_1/soak@2#3', NODES)).toBe('Soak test, visit 2, attempt 3')
    expect(stepName('write_tests@1#1')).toBe('write tests')
  })
})
