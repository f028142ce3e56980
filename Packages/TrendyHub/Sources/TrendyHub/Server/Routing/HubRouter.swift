import TrendyModels

/// Finds the destination of a request.
///
/// Requests from trackers and for dashboard files are recognized by path. All other requests are matched to a
/// ``HubRoute``.
package struct HubRouter: Sendable {
  package let routes: [HubRoute]
  /// Routes by number of segments. Routes without parameters come first, so `events/batch` is not mistaken for an
  /// event.
  private let byLength: [Int: [HubRoute]]
  private let takesReadings: Bool

  init(_ routes: [HubRoute], takesReadings: Bool) {
    self.routes = routes
    self.takesReadings = takesReadings
    byLength = Dictionary(grouping: routes) { $0.path.count }.mapValues { routes in
      routes.filter { $0.parameters.isEmpty } + routes.filter { !$0.parameters.isEmpty }
    }
  }

  enum Destination: Sendable {
    case route(HubRoute, HubCall)
    case tracker(IngestRequest)
    /// A dashboard file, or, with status 404, the main document for an unknown path.
    case page(PageFiles.File, status: Int)
    /// An unknown path or a method that is not allowed. Unless `access` is open, the problem is sent only to paired
    /// devices.
    case nothing(Problem, access: HubRoute.Access, group: HubMetrics.Route)

    var access: HubRoute.Access {
      switch self {
      case .route(let route, _): route.access
      case .tracker: .tracker
      case .page: .open
      case .nothing(_, let access, _): access
      }
    }

    var group: HubMetrics.Route {
      switch self {
      case .route(let route, _): route.group
      case .tracker: .ingest
      case .page: .page
      case .nothing(_, _, let group): group
      }
    }

    var isMetered: Bool { if case .route(let route, _) = self { route.isMetered } else { true } }
  }

  /// Returns the destination of a request, treating `HEAD` like `GET`.
  func destination(of request: HTTPRequest) -> Destination {
    if takesReadings, let tracker = IngestRequest(request) {
      guard let problem = tracker.problem(ofMethod: request.method) else { return .tracker(tracker) }
      return .nothing(problem, access: .open, group: .ingest)
    }
    if request.isRead, let file = PageFiles.embedded.file(at: request.path) { return .page(file, status: 200) }
    guard let segments = request.pathSegments, let query = request.query else {
      return .nothing(.invalid("invalid percent-encoding in the URL"), access: .open, group: .other)
    }
    let matches = (byLength[segments.count] ?? []).compactMap { route in route.match(segments).map { (route, $0) } }
    guard let first = matches.first?.0 else {
      if request.isOfPage, let file = PageFiles.embedded.file(at: "/") { return .page(file, status: 404) }
      let isOfAPI = segments.count > HubRoute.prefix.count && segments.starts(with: HubRoute.prefix)
      return .nothing(.unknownPath(request), access: isOfAPI ? .device : .open, group: .other)
    }
    let method = request.method == "HEAD" ? "GET" : request.method
    let same = matches.filter { $0.0.path == first.path }
    if let (route, parameters) = same.first(where: { $0.0.method.rawValue == method }) {
      return .route(route, HubCall(request, parameters: parameters, query: query))
    }
    let isOpen = same.contains { $0.0.access != .device }
    return .nothing(
      .methodNotAllowed(request, same.map(\.0.method)), access: isOpen ? .open : .device, group: first.group)
  }
}

extension HTTPRequest {
  fileprivate var isRead: Bool { method == "GET" || method == "HEAD" }

  /// Whether a browser is requesting a page, which is outside the API.
  fileprivate var isOfPage: Bool {
    isRead && headers["Accept"]?.contains("text/html") == true
      && !["api", "assets"].contains(path.split(separator: "/").first)
  }
}

extension Problem {
  static func unknownPath(_ request: HTTPRequest) -> Problem {
    .notFound("\(request.path.prefix(200)) not found: the API is under /api/v1")
  }

  fileprivate static func methodNotAllowed(_ request: HTTPRequest, _ allowed: [HubRoute.Method]) -> Problem {
    let names = HubRoute.Method.allCases.filter(allowed.contains)
      .flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
    return Problem(
      "method_not_allowed", status: 405, title: "Method not allowed",
      detail: "\(request.path) accepts \(names), found \(request.method)", allow: names)
  }
}
