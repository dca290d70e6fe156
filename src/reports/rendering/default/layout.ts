/** The page of templates that have no layout of their own; it is written in what every template may use. */
export const DEFAULT_LAYOUT = `<style>{{stylesheet_css}}</style></head><body>
<header class="cover">
<div class="cover-band{{#branding.banner_data_url}} cover-with-banner{{/branding.banner_data_url}}">
{{#branding.banner_data_url}}<img class="cover-banner" src="{{{branding.banner_data_url}}}" alt="">{{/branding.banner_data_url}}
</div>
<div class="cover-brand">
{{#branding.logo_data_url}}<img class="cover-logo" src="{{{branding.logo_data_url}}}" alt="{{branding.brand_name}}">{{/branding.logo_data_url}}
{{^branding.logo_data_url}}{{#branding.brand_name}}<p class="cover-brand-name">{{branding.brand_name}}</p>{{/branding.brand_name}}
{{^branding.brand_name}}<p class="cover-brand-name">{{branding.organization_name}}</p>{{/branding.brand_name}}{{/branding.logo_data_url}}
</div>
<div class="cover-title">
<p class="cover-kind">{{template.display_name}}</p>
<h1>{{report.title}}</h1>
{{#location.name}}<p class="cover-place">{{location.name}}</p>{{/location.name}}
{{#location.address}}<p class="cover-address">{{location.address}}</p>{{/location.address}}
</div>
<dl class="cover-facts">
<div><dt>Date</dt><dd>{{report.updated_on}}</dd></div>
{{#report.created_by}}<div><dt>Prepared by</dt><dd>{{report.created_by}}</dd></div>{{/report.created_by}}
<div><dt>Revision</dt><dd>{{report.revision}}</dd></div>
</dl>
{{#branding.slogan}}<p class="cover-slogan">{{branding.slogan}}</p>{{/branding.slogan}}
</header>
<nav class="contents">{{contents_html}}</nav>
<main>
<section class="report-data">{{data_html}}</section>
<section class="report-body">{{body_html}}</section>
</main>
</body></html>
`;
