import TrendyFoundation
import TrendyModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Segment of a great circle between two positions some kilometres apart. Correct across the poles and the
/// antimeridian.
struct GreatCircleSegment {
  private let from: SIMD3<Double>
  private let to: SIMD3<Double>

  init(from: Coordinate, to: Coordinate) {
    self.from = Self.vector(from)
    self.to = Self.vector(to)
  }

  /// Returns a position on the segment.
  /// - Parameter part: fraction of the segment, 0 to 1.
  func place(at part: Double) -> Coordinate {
    let middle = from + (to - from) * part
    return Coordinate(
      latitude: atan2(middle.z, (middle.x * middle.x + middle.y * middle.y).squareRoot()) * 180 / .pi,
      longitude: atan2(middle.y, middle.x) * 180 / .pi)
  }

  private static func vector(_ place: Coordinate) -> SIMD3<Double> {
    let latitude = place.latitude * .pi / 180
    let longitude = place.longitude * .pi / 180
    return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }
}
