import Foundation
import Synchronization

extension HubRoute {
  /// Returns the route that serves the OpenAPI document, which describes the given routes and this one.
  static func openAPI(of routes: [HubRoute]) -> HubRoute {
    func route(_ handler: @escaping @Sendable (HubCall) throws -> HTTPResponse) -> HubRoute {
      HubRoute(
        .get, "openapi.json", name: "getOpenAPI", summary: "Returns this document.",
        answers: [.json(200, "the document", .map(.any))], group: .probe, .open(handler))
    }
    let text = OpenAPIText(routes: routes + [route { throw Problem.unknownPath($0.request) }])
    return route { _ in .json(written: text.data) }
  }
}

/// The OpenAPI document as JSON, encoded on the first request.
private final class OpenAPIText: Sendable {
  private let routes: [HubRoute]
  private let written = Mutex<Data?>(nil)

  init(routes: [HubRoute]) { self.routes = routes }

  var data: Data {
    written.withLock { written in
      let data = written ?? JSONText.write(OpenAPIDocument(routes).value)
      written = data
      return data
    }
  }
}
