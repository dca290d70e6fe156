// Only the description of this service, and nothing from other hosts: no validator badge, no remote configuration.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  queryConfigEnabled: false,
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
