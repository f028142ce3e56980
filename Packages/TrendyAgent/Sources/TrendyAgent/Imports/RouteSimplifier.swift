#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels

/// Simplifies routes with the Ramer–Douglas–Peucker algorithm (1972, 1973).
enum RouteSimplifier {
  /// Maximum number of points, so that an event fits into one request to the hub.
  private static let pointLimit = 2000

  /// Returns the route without the points that are close to the line between their neighbours. The first and last
  /// points are always kept.
  ///
  /// - Parameters:
  ///   - route: Points in order. The route may cross the antimeridian.
  ///   - toleranceMeters: Maximum distance of a removed point from the line. Doubled until at most 2,000 points remain.
  static func simplify(_ route: [Coordinate], toleranceMeters: Double) -> [Coordinate] {
    guard route.count > 2 else { return route }
    let points = flattened(route)
    var tolerance = toleranceMeters
    while true {
      let kept = kept(points, tolerance)
      if kept.count(where: { $0 }) <= pointLimit { return zip(route, kept).filter(\.1).map(\.0) }
      tolerance *= 2
    }
  }

  private typealias Point = (x: Double, y: Double)

  /// Projects the points onto a plane that touches the earth at the first point, in metres. The error is negligible
  /// compared with the tolerance.
  private static func flattened(_ route: [Coordinate]) -> [Point] {
    let meters = 111_195.0
    let origin = route[0]
    let width = cos(origin.latitude * .pi / 180)
    return route.map { place in
      var east = place.longitude - origin.longitude
      if east > 180 { east -= 360 } else if east < -180 { east += 360 }
      return (east * width * meters, (place.latitude - origin.latitude) * meters)
    }
  }

  private static func kept(_ points: [Point], _ tolerance: Double) -> [Bool] {
    var kept = [Bool](repeating: false, count: points.count)
    kept[0] = true
    kept[points.count - 1] = true
    var open = [(0, points.count - 1)]
    while let (first, last) = open.popLast() {
      guard last - first > 1 else { continue }
      var farthest = (index: first, distance: tolerance)
      for index in (first + 1)..<last {
        let distance = distance(points[index], from: points[first], to: points[last])
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.index > first else { continue }
      kept[farthest.index] = true
      open.append((first, farthest.index))
      open.append((farthest.index, last))
    }
    return kept
  }

  private static func distance(_ point: Point, from start: Point, to end: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let square = x * x + y * y
    let part =
      square == 0 ? 0 : min(1, max(0, ((point.x - start.x) * x + (point.y - start.y) * y) / square))
    return hypot(point.x - start.x - part * x, point.y - start.y - part * y)
  }
}
