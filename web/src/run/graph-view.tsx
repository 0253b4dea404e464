import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { NODE_WORDS, type NodeState } from '../../../src/text/status-word'
import { onPinch } from '../terminal/pinch'
import { nodeBadge } from '../ui/status'
import { SvgView } from '../ui/svg-view'

const FITS_PT = 760
/** Room around a drawing that is shown whole. */
const FIT_SHARE = 0.96
const WIDTH_PX = { least: 40, most: 8_000, step: 1.25 }

/**
 * A graph with the layout of Graphviz and the colours of the page. Nodes can be opened with the
 * mouse and the keyboard.
 */
export function GraphView(props: { svg: string; label: string; picked?: string | null; onPick?(node: string): void }) {
  const { picked, onPick } = props
  const box = useRef<HTMLDivElement>(null)
  // Null means as wide as the container. The drawing is replaced whenever the run changes, so the
  // width is kept here.
  const width = useRef<number | null>(null)
  const [isZoomed, setZoomed] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const drawing = () => box.current?.querySelector('svg') ?? null
  const resize = (to: number | null) => {
    width.current = to === null ? null : Math.max(WIDTH_PX.least, Math.min(WIDTH_PX.most, to))
    setZoomed(to !== null)
    const svg = drawing()
    if (svg) setWidth(svg, width.current)
  }
  // As it was drawn; a drawing that is larger than its frame is shown whole, however small.
  const fit = () => {
    resize(null)
    setLarge(false)
    const [svg, frame] = [drawing(), box.current]
    if (!svg || !frame || !isCut(frame)) return
    const { width: wide, height: high } = svg.getBoundingClientRect()
    resize(Math.min(frame.clientWidth, (frame.clientHeight * wide) / high) * FIT_SHARE)
    setZoomed(false)
  }
  const size = () => drawing()?.getBoundingClientRect().width ?? WIDTH_PX.least
  useEffect(() => onPinch(box.current!, { size, resize }), [])
  const prepare = useCallback(
    (svg: SVGSVGElement) => {
      if (onPick) svg.setAttribute('role', 'group')
      // A drawing that is not much larger than the container is shown completely; a larger one
      // scrolls.
      svg.classList.toggle('fits', Number.parseFloat(svg.getAttribute('height') ?? '0') < FITS_PT)
      setWidth(svg, width.current)
      svg.querySelector('g.graph > polygon')?.remove()
      for (const group of svg.querySelectorAll<SVGGElement>('g.node, g.edge')) {
        for (const shape of group.querySelectorAll('[fill], [stroke]')) {
          if (shape.getAttribute('stroke-width') === '2') group.classList.add('taken')
          if (shape.getAttribute('fill') !== 'none') shape.setAttribute('data-filled', '')
          for (const name of ['fill', 'stroke', 'stroke-width']) shape.removeAttribute(name)
        }
        for (const text of group.querySelectorAll('text'))
          for (const name of ['fill', 'font-family']) text.removeAttribute(name)
        if (group.classList.contains('edge')) removeTarget(group)
        if (group.classList.contains('node')) makeSelectable(group, picked ?? null, onPick)
      }
      for (const title of svg.querySelectorAll('g.edge > title, g.graph > title')) title.remove()
    },
    [picked, onPick],
  )
  const centred = useRef('')
  useEffect(() => {
    const frame = box.current!
    // Also when the frame gets its size: styles may arrive after the drawing.
    const observer = new ResizeObserver(() => {
      if (width.current === null) setLarge(isCut(frame))
      const node = currentNode(frame)
      const name = `${node?.dataset.node} ${frame.clientWidth} ${frame.clientHeight}`
      // Only when the run moves on: a person may have scrolled elsewhere meanwhile.
      if (!node || name === centred.current) return
      centred.current = name
      centre(frame, node)
    })
    observer.observe(frame)
    return () => observer.disconnect()
  }, [props.svg])
  return (
    <div class="graph-box">
      <div class="graph" ref={box} tabIndex={0} role="region" aria-label={props.label}>
        <SvgView text={props.svg} label={props.label} prepare={prepare} />
      </div>
      <div class="graph-zoom" role="group" aria-label="Zoom">
        {(isZoomed || isLarge) && (
          <button type="button" class="btn quiet" title="Show the whole graph" onClick={fit}>
            Fit
          </button>
        )}
        <button
          type="button"
          class="btn quiet"
          aria-label="Zoom out"
          title="Zoom out"
          onClick={() => resize(size() / WIDTH_PX.step)}
        >
          −
        </button>
        <button
          type="button"
          class="btn quiet"
          aria-label="Zoom in"
          title="Zoom in (or pinch)"
          onClick={() => resize(size() * WIDTH_PX.step)}
        >
          +
        </button>
      </div>
    </div>
  )
}

function isCut(frame: HTMLElement): boolean {
  return frame.scrollHeight > frame.clientHeight + 2 || frame.scrollWidth > frame.clientWidth + 2
}

/** Where the run is; if it has not started, the first node. */
function currentNode(box: HTMLElement): SVGGElement | null {
  const at = box.querySelectorAll<SVGGElement>('g.node.running, g.node.waiting, g.node.fail')
  return [...at].at(-1) ?? box.querySelector<SVGGElement>('g.node')
}

/** Scrolls the drawing alone, never the page. */
function centre(box: HTMLElement, node: SVGGElement): void {
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()]
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
}

/** Routes of pipelines are named after the node that they lead to; the arrow shows that. */
function removeTarget(edge: SVGGElement): void {
  const target = edge.querySelector('title')?.textContent?.split('->').at(-1)
  for (const text of edge.querySelectorAll('text')) if (text.textContent?.trim() === target) text.remove()
}

function setWidth(svg: SVGSVGElement, to: number | null): void {
  svg.classList.toggle('zoomed', to !== null)
  svg.style.width = to === null ? '' : `${to}px`
}

function makeSelectable(group: SVGGElement, picked: string | null, onPick: ((node: string) => void) | undefined): void {
  const name = group.querySelector('title')?.textContent ?? ''
  group.dataset.node = name
  group.classList.toggle('picked', name === picked)
  if (!onPick) return
  group.setAttribute('role', 'button')
  group.setAttribute('tabindex', '0')
  group.setAttribute('aria-label', `${wordsOf(group)}: ${nodeBadge(stateOf(group)).word}`)
  group.addEventListener('click', () => onPick(name))
  group.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    onPick(name)
  })
}

function wordsOf(group: SVGGElement): string {
  return [...group.querySelectorAll('text')].map(text => text.textContent).join(' ')
}

function stateOf(group: SVGGElement): NodeState {
  return [...group.classList].find((name): name is NodeState => name in NODE_WORDS) ?? 'idle'
}
