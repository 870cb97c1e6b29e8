// Texts of the page whose contrast with what is behind them is below 4.5 to 1, as WCAG 2 computes it.
(() => {
  const rgb = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3]));
  const ground = node => { let stack = []; for (let n = node; n; n = n.parentElement) stack.push(rgb(getComputedStyle(n).backgroundColor));
    return stack.reverse().reduce((under, top) => over(top, under), [255, 255, 255]); };
  const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let n = 0;
  while (walk.nextNode()) {
    const text = walk.currentNode, node = text.parentElement;
    if (!text.data.trim() || node.closest("script,style,noscript") || !node.getClientRects().length) continue;
    const style = getComputedStyle(node), inSvg = node.namespaceURI.includes("svg");
    let opacity = 1; for (let p = node; p; p = p.parentElement) opacity *= Number(getComputedStyle(p).opacity);
    const back = ground(node), front = over([...rgb(inSvg ? style.fill : style.color).slice(0, 3), opacity], back);
    const [a, b] = [light(front), light(back)], ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    n++;
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${node.tagName}.${node.getAttribute("class")} ${text.data.slice(0, 30)} ${style.color}`);
  }
  return {texts: n, low: [...new Set(low)]};
})()
