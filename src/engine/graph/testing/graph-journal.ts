import { type EventData, type EventType, newEvent } from '../../../events/index.js'
import type { NewEvent, StoredEvent } from '../../../store/index.js'
import type { WorkflowCommand } from '../../workflow.js'
import { decideGraph } from '../graph-decide.js'
import { type GraphInput, type NodeOutcome, plainInput } from '../graph-run.js'
import { type Cursor, type GraphWork, MAIN } from '../graph-work.js'
import { graphWorkflow } from '../graph-workflow.js'

/**
 * A run of a graph without a store and a driver: events go in, the work and the next decision come
 * out. The node `start` and the node `exit` are there already.
 */
export class GraphJournal {
  readonly work: GraphWork
  readonly emitted: NewEvent[] = []
  at = 1_000

  constructor(
    dot: string,
    input: Partial<GraphInput> = {},
    about: Partial<Pick<EventData<'run.created'>, 'parent' | 'limits' | 'labels'>> = {},
  ) {
    const text = `digraph g { start [shape=Mdiamond] exit [shape=Msquare] ${dot} }`
    const created = newEvent('run.created', {
      kind: 'graph',
      title: 'a graph',
      project: '/project',
      cwd: '/project',
      person: 'someone',
      input: { ...plainInput(text, '/project'), ...input },
      ...about,
    })
    this.work = graphWorkflow.begin(created.data as never, { id: 'run_1' } as never)
  }

  add<T extends EventType>(type: T, data: EventData<T>): this {
    graphWorkflow.evolve(this.work, { type, data, at: this.at, stream: 'run/run_1' } as unknown as StoredEvent)
    return this
  }

  /** The end of a step of the node that runs, or of a part of it: `merge@1#1+look2`. */
  ended(step: string, outcome: Partial<NodeOutcome> = {}): this {
    return this.add('step.ended', { step, status: 'ok', result: { status: 'success', ...outcome } } as never)
  }

  /** Adds what the decisions write, until only work is left that is done elsewhere. */
  next(): readonly WorkflowCommand[] {
    for (;;) {
      const commands = decideGraph(this.work)
      const events = commands.flatMap(command => (command.do === 'emit' ? command.events : []))
      if (events.length === 0) return commands
      this.emitted.push(...events)
      for (const { type, data } of events) this.add(type as EventType, data as never)
    }
  }

  /** The names of the steps, timers, gates and children that should be in progress. */
  wanted(): string[] {
    return this.next().map(command => {
      if (command.do === 'step' || command.do === 'recover') return command.step
      if (command.do === 'timer') return command.timer
      if (command.do === 'gate') return command.gate
      return command.do === 'child' ? command.child : command.do
    })
  }

  /** The end of the run, if that is the only thing to decide. */
  end(): Extract<WorkflowCommand, { do: 'end' }> {
    const [command] = this.next()
    if (command?.do !== 'end') throw new Error(`the run is not over: ${JSON.stringify(command)}`)
    return command
  }

  emittedOf<T extends EventType>(type: T): EventData<T>[] {
    return this.emitted.filter(event => event.type === type).map(({ data }) => data as EventData<T>)
  }

  cursor(branch = MAIN): Cursor {
    return this.work.cursors.get(branch)!
  }
}
