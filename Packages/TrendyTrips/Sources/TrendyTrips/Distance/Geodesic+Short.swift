package import TrendyModels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension Geodesic {
  /// Returns the distance in metres with a relative error of at most 1e-7.
  ///
  /// The trip detector computes about a dozen distances per fix, so this function must be fast for short distances. If
  /// latitudes and longitudes differ by less than 0.03° and the points are away from the poles, it computes in the
  /// plane tangent to the ellipsoid at the mean latitude. Otherwise it calls ``distanceMeters(from:to:)``.
  static func shortMeters(from start: Coordinate, to end: Coordinate) -> Double {
    let north = end.latitude - start.latitude
    var east = end.longitude - start.longitude
    if abs(east) > 180 { east = east.remainder(dividingBy: 360) }
    guard abs(north) < 0.03, abs(east) < 0.03, abs(start.latitude) < 80 else {
      return distanceMeters(from: start, to: end)
    }
    let radii = metresOfRadian(at: (start.latitude + end.latitude) / 2)
    let x = radii.east * east * (Double.pi / 180)
    let y = radii.north * north * (Double.pi / 180)
    return (x * x + y * y).squareRoot()
  }

  /// Returns the position at a small offset from `start`. The offset is in metres: `x` is north, `y` is east.
  static func place(from start: Coordinate, offset: SIMD2<Double>) -> Coordinate {
    let radii = metresOfRadian(at: start.latitude)
    return Coordinate(
      latitude: min(90, max(-90, start.latitude + offset.x / radii.north * (180 / Double.pi))),
      longitude: (start.longitude + offset.y / max(1, radii.east) * (180 / Double.pi)).remainder(dividingBy: 360))
  }

  /// Returns the length in metres of one degree of latitude (`x`) and of longitude (`y`).
  static func metresOfDegree(at latitude: Double) -> SIMD2<Double> {
    let radii = metresOfRadian(at: latitude)
    return SIMD2(radii.north, radii.east) * (Double.pi / 180)
  }

  /// Returns the metres per radian of latitude (the meridional radius of curvature) and of longitude (the radius of the
  /// parallel).
  @inline(__always)
  private static func metresOfRadian(at latitude: Double) -> (north: Double, east: Double) {
    let cosine = cosineOfLatitude(latitude * (Double.pi / 180))
    let sineSquared = 1 - cosine * cosine
    let eccentricitySquared = flattening * (2 - flattening)
    let scale = 1 - eccentricitySquared * sineSquared
    let across = equatorialRadius / scale.squareRoot()
    return (across * (1 - eccentricitySquared) / scale, across * cosine)
  }

  /// Returns the cosine of an angle of at most 90°, in radians, with an error of 4e-15.
  ///
  /// Ten terms of the Taylor series (Abramowitz and Stegun 4.3.66), grouped for parallel evaluation, are twice as fast
  /// as the library function.
  @inline(__always)
  private static func cosineOfLatitude(_ radians: Double) -> Double {
    let x = radians * radians
    let x2 = x * x
    let x4 = x2 * x2
    let low = (1 - x * 0.5) + x2 * (1 / 24 - x * (1 / 720))
    let middle = (1 / 40_320 - x * (1 / 3_628_800)) + x2 * (1 / 479_001_600 - x * (1 / 87_178_291_200))
    let high = 1 / 20_922_789_888_000 - x * (1 / 6_402_373_705_728_000)
    return low + x4 * (middle + x4 * high)
  }

  /// Returns `true` if two points are certainly farther apart than `meters`. `false` is inconclusive.
  ///
  /// A cheap lower bound: a degree of latitude is at least 110,574 m long, and on a sphere the distance is at least 2 r
  /// cos(φ) sin(Δλ/2), where φ is the greater latitude (from the haversine formula). Here r is the smallest radius of
  /// curvature of the ellipsoid, 6,335,439 m, minus one percent for the deviation from a sphere.
  package static func isCertainlyBeyond(_ meters: Double, from start: Coordinate, to end: Coordinate) -> Bool {
    if abs(end.latitude - start.latitude) * 110_000 > meters { return true }
    var east = abs(end.longitude - start.longitude)
    if east > 180 { east = 360 - east }
    // Return `false` above 180°, because the sine of half the angle is monotonic only up to 180°.
    guard east <= 180 else { return false }
    let radians = Double.pi / 180
    let cosine = cos(max(abs(start.latitude), abs(end.latitude)) * radians)
    return 2 * 6_272_000 * cosine * sin(east / 2 * radians) > meters
  }
}
