import { useEffect, useRef, useState } from 'preact/hooks'
import { parseSvg } from './svg'

/**
 * A drawing of the server. `prepare` may change its nodes; it runs again when its dependencies
 * change.
 */
export function SvgView(props: {
  text: string
  label: string
  class?: string
  prepare?: (svg: SVGSVGElement) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { text, label, prepare } = props
  useEffect(() => {
    try {
      const svg = parseSvg(text)
      svg.setAttribute('role', 'img')
      svg.setAttribute('aria-label', label)
      prepare?.(svg)
      box.current?.replaceChildren(svg)
      setProblem(null)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }, [text, label, prepare])
  return (
    <>
      <div class={`svg-view ${props.class ?? ''}`} ref={box} />
      {problem && <p class="small dim">{problem}</p>}
    </>
  )
}
