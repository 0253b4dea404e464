import { useEffect, useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { Diagnostic, GraphCheck, GraphList } from '../api/types'
import { lineOf, STEPS, withStep } from '../graphs/dot-tokens'
import { DotEditor, goToLine } from '../graphs/editor'
import { DRAFT, draftGraph, SAMPLE } from '../graphs/sample'
import { TEMPLATES } from '../graphs/templates'
import { GraphView } from '../run/graph-view'
import { go } from '../store/router'
import { attempt, sentence } from '../store/toasts'
import { getJson, postJson, request } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { download } from '../ui/download'
import { PlayIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { Panel } from '../ui/panel'
import { type Badge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

const DEBOUNCE_MS = 350

export function GraphsPage() {
  const [text, setText] = useState(draftGraph)
  const { check, svg, problem } = useCheck(text)
  const known = useLoad('graphs', signal => getJson<GraphList>('/graphs', { signal }))
  const open = (item: GraphList['items'][number]) =>
    attempt(async () => setText(await (await request(`/runs/${item.lastRun}/graph?format=dot`)).text()))
  const add = (step: (typeof STEPS)[number]) => {
    const made = withStep(text, step)
    setText(made.text)
    // After the field has the new text.
    setTimeout(() => goToLine(made.line, 3))
  }
  return (
    <div class="page full">
      <div class="page-head">
        <h1>Graphs</h1>
        <CheckBadge check={check} />
        <div class="actions">
          <Menu label="Open" class="btn" trigger="Open a graph">
            <button type="button" onClick={() => setText(SAMPLE)}>
              New graph
            </button>
            <div class="menu-label">Templates</div>
            {TEMPLATES.map(({ name, about, dot }) => (
              <button key={about} type="button" onClick={() => setText(dot)}>
                {name}
              </button>
            ))}
            {(known.value?.items ?? []).length > 0 && <div class="menu-label">Graphs of your runs</div>}
            {(known.value?.items ?? []).map(item => (
              <button key={item.file} type="button" onClick={() => void open(item)}>
                <span class="grow">
                  {baseName(item.file)} <span class="dim tiny">{baseName(item.project)}</span>
                </span>
              </button>
            ))}
          </Menu>
          <Menu label="Add a step" class="btn" trigger="Add a step">
            {STEPS.map(step => (
              <button key={step.label} type="button" onClick={() => add(step)}>
                {step.label}
              </button>
            ))}
          </Menu>
          <CopyButton text={text} label="Copy DOT" class="btn icon" />
          <button type="button" class="btn" onClick={() => download('graph.dot', text, 'text/vnd.graphviz')}>
            Save
          </button>
          <button
            type="button"
            id="after-editor"
            class="btn solid"
            disabled={check?.valid !== true}
            onClick={() => go('/start?what=run&graph=draft')}
          >
            <PlayIcon /> Run
          </button>
        </div>
      </div>
      <div class="graphs-grid">
        <DotEditor text={text} diagnostics={check?.diagnostics ?? []} onChange={setText} />
        <section class="panel run-graph tall" aria-label="Graph">
          {svg ? (
            <GraphView
              svg={svg}
              label="Graph; press a node to go to its line"
              onPick={node => goToLine(lineOf(text, node) ?? 1, 3)}
            />
          ) : (
            <p class="pad small soft" role="status">
              {problem ?? (check?.valid === false ? 'Fix the errors to see the graph.' : 'Drawing…')}
            </p>
          )}
        </section>
      </div>
      <Panel title="Findings" note={check ? `${check.nodes} nodes, ${check.edges} edges` : ''} class="findings">
        {check && check.diagnostics.length === 0 && <p class="pad small soft">No findings.</p>}
        <ul>
          {(check?.diagnostics ?? []).map((finding, index) => (
            <li key={index}>
              <button type="button" class="finding" onClick={() => goToLine(finding.line ?? 1, finding.column ?? 1)}>
                <StatusBadge badge={SEVERITY[finding.severity]} />
                <span class="grow">
                  {sentence(finding.message)}
                  {finding.fix && <span class="soft finding-fix">{sentence(finding.fix)}</span>}
                </span>
                <code class="dim tiny">{finding.rule}</code>
                <span class="num tiny dim">{finding.line ? `${finding.line}:${finding.column ?? 1}` : ''}</span>
              </button>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}

const SEVERITY: Readonly<Record<Diagnostic['severity'], Badge>> = {
  error: { word: 'error', tone: 'danger', shape: 'square' },
  warning: { word: 'warning', tone: 'warning', shape: 'triangle' },
  info: { word: 'note', tone: 'done', shape: 'ring' },
}

function CheckBadge({ check }: { check: GraphCheck | null }) {
  if (!check) return <StatusBadge badge={{ word: 'checking', tone: 'muted', shape: 'dashed' }} />
  if (check.valid) return <StatusBadge badge={{ word: 'valid', tone: 'done', shape: 'tick' }} />
  const errors = check.diagnostics.filter(({ severity }) => severity === 'error').length
  return (
    <StatusBadge badge={{ word: `${errors} ${errors === 1 ? 'error' : 'errors'}`, tone: 'danger', shape: 'square' }} />
  )
}

/**
 * Checks and draws the graph after the last key press; an older answer never replaces a newer one.
 */
function useCheck(text: string) {
  const [check, setCheck] = useState<GraphCheck | null>(null)
  const [svg, setSvg] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    sessionStorage.setItem(DRAFT, text)
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const checked = await postJson<GraphCheck>('/graphs/validate', { dot: text }, { signal: abort.signal })
        if (abort.signal.aborted) return
        setCheck(checked)
        const response = await request('/graphs/render', { method: 'POST', body: { dot: text }, signal: abort.signal })
        const drawn = await response.text()
        if (!abort.signal.aborted) setSvg(drawn)
        setProblem(null)
      } catch (error) {
        if ((error as Error).name !== 'AbortError') setProblem((error as Error).message)
      }
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return { check, svg, problem }
}
