/// Style sheet for reports, with the dashboard's design tokens. Supports light and dark schemes and print.
enum ReportStyle {
  /// Returns CSS classes `t0`, `t1`, … for the colours of event types.
  static func colours(_ all: [TypeColour]) -> String {
    all.enumerated().map { place, colour in
      ".t\(place){--tl:\(colour.mark);--il:\(colour.ink);--td:\(colour.darkMark);--id:\(colour.darkInk)}"
    }.joined(separator: "\n")
  }

  static let sheet = """
    :root{color-scheme:light;--ground:#f9f8f6;--surface:#fff;--well:#eeece9;--line:#e0ddda;--edge:#7d8088;--ink3:#64676f;--ink2:#4a4d55;\
    --ink:#171920;--accent:#2e49b2;--o1:.26;--o2:.5;--o3:.76;--calm:.46;--margin:16px;
    --font:-apple-system,BlinkMacSystemFont,"Segoe UI Variable Text","Segoe UI",Roboto,"Adwaita Sans",Inter,Cantarell,"Noto Sans",\
    "Liberation Sans",system-ui,sans-serif}
    .t{--mark:var(--tl);--letter:var(--il);--wash:13%}
    @media screen and (prefers-color-scheme:dark){
    :root{color-scheme:dark;--ground:#101114;--surface:#181a1e;--well:#232429;--line:#2c2e32;--edge:#777a82;--ink3:#999ba2;--ink2:#babcc1;\
    --ink:#ebedef;--accent:#99b5fe;--o1:.38;--o2:.58;--o3:.78}
    .t{--mark:var(--td);--letter:var(--id);--wash:20%}}
    *{box-sizing:border-box}
    html{background:var(--ground);color:var(--ink);-webkit-text-size-adjust:100%;scroll-behavior:smooth}
    body{margin:0 auto;max-width:1160px;padding:24px var(--margin) 64px;font:400 .9375rem/1.375rem var(--font);\
    font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased;overflow-wrap:anywhere}
    h1,h2,h3,p,ul,dl,dd,figure{margin:0;padding:0}
    ul{list-style:none}
    h1{font-size:1.75rem;line-height:2.125rem;font-weight:640;letter-spacing:-.022em}
    h2{font-size:1.0625rem;line-height:1.5rem;font-weight:620;letter-spacing:-.01em}
    h3{font-size:1.0625rem;line-height:1.5rem;font-weight:620;display:flex;gap:10px;align-items:center;min-width:0}
    a{color:var(--accent)}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    header{margin-bottom:24px}
    .over{color:var(--ink3);font-size:.8125rem;margin-bottom:4px}
    .lead{color:var(--ink2);margin-top:6px;max-width:84ch}
    .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(100px,1fr));gap:16px 24px;margin-top:20px}
    .figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
    .figures dt{font-size:.8125rem;line-height:1.125rem;color:var(--ink3)}
    .figures dd{font-size:1.625rem;line-height:2rem;font-weight:620;letter-spacing:-.02em;white-space:nowrap}
    .figures small{font-size:.875rem;font-weight:500;color:var(--ink3);letter-spacing:0}
    nav{margin-top:20px;display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.8125rem}
    nav a{text-decoration:none;padding:3px 0}
    nav a:hover{text-decoration:underline;text-underline-offset:3px}
    section{margin-top:28px;min-width:0}
    section>h2{padding-bottom:9px;border-bottom:1px solid var(--line);margin-bottom:4px}
    .finding{color:var(--ink2);margin:4px 0 12px;max-width:84ch}
    .quiet,.key{color:var(--ink3);font-size:.8125rem;line-height:1.125rem}
    .key{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:10px;align-items:center}
    .key span{display:inline-flex;gap:6px;align-items:center}
    .key svg{width:14px;height:14px;flex:none}
    .disc{display:inline-grid;place-items:center;flex:none;width:28px;height:28px;border-radius:99px;background:var(--well);\
    background:color-mix(in srgb,var(--mark) var(--wash),var(--surface));color:var(--letter);font-size:14px;line-height:1;font-weight:600}
    svg{display:block;overflow:visible}
    svg text{font:500 11px var(--font);fill:var(--ink3);font-variant-numeric:tabular-nums}
    .halves{display:grid;gap:10px 28px}
    .halves svg{width:100%}
    .c{fill:var(--mark);stroke:var(--mark);stroke-width:3;stroke-linejoin:round}
    .l0{fill:var(--well);stroke:var(--well)}.l1{opacity:var(--o1)}.l2{opacity:var(--o2)}.l3{opacity:var(--o3)}
    .plot .c{stroke-width:2}
    .skip{fill:url(#hatch);stroke:var(--edge);stroke-width:.6}
    .before{stroke:var(--edge);stroke-width:2.2;stroke-linecap:round;fill:none}
    .future{fill:none;stroke:var(--line);stroke-width:1;stroke-linejoin:round}
    .now{fill:none;stroke:var(--ink);stroke-width:1.5}
    .d{display:none;text-anchor:middle}
    .plot{width:100%}
    .plot .f,.plot .n{text-anchor:middle}
    .plot .f{fill:var(--ink2)}
    .axis{stroke:var(--line);stroke-width:1}
    .b{fill:var(--mark);opacity:var(--calm)}.most,.solid{opacity:1}.none{fill:var(--line)}.track{fill:var(--well)}
    .mark{stroke:var(--ink);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
    .solid{fill:var(--ink2)}.outline{fill:var(--surface);stroke:var(--ink2);stroke-width:1.2;vector-effect:non-scaling-stroke}.open{fill:url(#hatch)}
    .lying{width:100%;height:16px}
    .columns{display:grid;gap:28px 52px}
    .columns>figure{min-width:0}
    .rows li{display:grid;grid-template-columns:28px minmax(0,1fr) 112px;gap:2px 12px;align-items:center;min-height:48px;padding:6px 0;\
    border-bottom:1px solid var(--line)}
    .rows .name{font-weight:550}
    .rows .bar{grid-column:2}
    .rows .end{grid-column:3;grid-row:1/span 2;text-align:right}
    .end b{font-weight:600}
    .places li{grid-template-columns:minmax(0,1fr) 112px}.places .bar{grid-column:1}.places .end{grid-column:2}
    .relations li{grid-template-columns:54px minmax(0,1fr) 112px}
    .pair{display:flex}.pair .disc+.disc{margin-left:-3px;box-shadow:0 0 0 2px var(--ground)}
    .relations .bar{max-width:232px}
    .dots{letter-spacing:2px;color:var(--ink2)}
    .types{display:grid;gap:36px;margin-top:20px}
    .type{min-width:0}
    .small{display:grid;grid-template-columns:5fr 8fr;gap:12px 24px;margin-top:14px;align-items:end}
    .small h4{margin:0 0 4px;font-size:.8125rem;line-height:1.125rem;font-weight:400;color:var(--ink3)}
    details{margin-top:10px;font-size:.875rem}
    summary{color:var(--ink3);font-size:.8125rem;cursor:pointer;padding:4px 0;width:fit-content}
    summary:hover{color:var(--ink)}
    .table{overflow-x:auto;border-block:1px solid var(--line)}
    table{border-collapse:collapse;width:100%;font-size:.875rem}
    caption{text-align:left;padding:8px 0;color:var(--ink3);font-size:.8125rem}
    th,td{text-align:left;padding:6px 12px 6px 0;border-top:1px solid var(--line);font-weight:400;vertical-align:top;min-width:3ch}
    td.words,th.words{min-width:12ch}
    thead th{color:var(--ink3);font-size:.8125rem;white-space:nowrap}
    .num{text-align:right}
    td.num{white-space:nowrap}
    tbody tr:last-child>*{border-bottom:0}
    footer{margin-top:48px;padding-top:12px;border-top:1px solid var(--line);color:var(--ink3);font-size:.8125rem;line-height:1.25rem}
    @media screen and (max-width:767px){h1{font-size:1.5rem;line-height:1.875rem}.figures dd{font-size:1.375rem;line-height:1.75rem}\
    .halves svg text{font-size:14px}.halves svg{max-width:560px}\
    .end .quiet{display:block}.small>:first-child:nth-last-child(3){grid-column:1/-1}}
    @media screen and (min-width:768px){:root{--margin:40px}body{padding-top:40px}section{margin-top:36px}.halves{grid-template-columns:1fr 1fr}\
    .columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.columns .plot text{font-size:8px}.small{grid-template-columns:2fr 1fr 1.6fr;gap:12px 36px}\
    .rows li{grid-template-columns:28px minmax(0,220px) minmax(0,1fr) 190px;min-height:42px}.rows .bar{grid-column:3;grid-row:1}\
    .rows .end{grid-column:4;grid-row:1}.relations li{grid-template-columns:54px minmax(0,1fr) 160px 132px}\
    .places li{grid-template-columns:minmax(0,180px) minmax(0,1fr) 190px;min-height:36px}.places .bar{grid-column:2}.places .end{grid-column:3}}
    @media print{@page{margin:15mm}:root{--ground:#fff}body{max-width:none;padding:0;font-size:10pt;line-height:14pt}nav,details{display:none}\
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}h1{font-size:20pt;line-height:24pt}\
    h2,h3,.finding{break-after:avoid}.type,.columns,.rows li,tr,dl,.halves{break-inside:avoid}.types{gap:18pt;margin-top:10pt}section{margin-top:20pt}th,td{padding:2pt 10pt 2pt 0}caption{padding:4pt 0}\
    .halves{grid-template-columns:1fr 1fr;gap:6pt 14pt}.halves svg{max-width:none}.halves svg text{font-size:13px}\
    .halves svg text.d{display:block;font-size:10.5px;font-weight:600;fill:#171920}.halves svg text.e{fill:#fff}\
    .columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:14pt 26pt}.columns .plot text{font-size:9.5px}\
    .small{grid-template-columns:2fr 1fr 1.6fr;gap:8pt 18pt;margin-top:8pt}.figures{grid-template-columns:repeat(6,auto)}.figures dd{font-size:15pt}\
    .rows li{min-height:0;padding:3pt 0;grid-template-columns:28px minmax(0,150px) minmax(0,1fr) 150px}.disc{width:22px;height:22px;font-size:11px}\
    .rows .bar{grid-column:3;grid-row:1}.rows .end{grid-column:4;grid-row:1}.relations li{grid-template-columns:54px minmax(0,1fr) 110px 110px}\
    .places li{grid-template-columns:minmax(0,120px) minmax(0,1fr) 150px}.places .bar{grid-column:2}.places .end{grid-column:3}\
    .table{overflow:visible}thead{display:table-header-group}a{color:inherit;text-decoration:none}}
    @media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
    @media (forced-colors:active){svg *{forced-color-adjust:none}}
    """
}
