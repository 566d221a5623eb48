<?xml version="1.0"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- The row xalancbmk: groups, sorts and sums the orders of a document. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="yes"/>
<xsl:key name="by-place" match="order" use="@place"/>
<xsl:template match="/orders">
<html><body>
<xsl:for-each select="order[generate-id() = generate-id(key('by-place', @place)[1])]">
<xsl:sort select="@place"/>
<h2><xsl:value-of select="translate(@place, 'abcdefgh', 'ABCDEFGH')"/></h2>
<p><xsl:value-of select="sum(key('by-place', @place)/item/@price)"/></p>
<table>
<xsl:apply-templates select="key('by-place', @place)">
<xsl:sort select="count(item)" data-type="number" order="descending"/>
<xsl:sort select="@id" data-type="number"/>
</xsl:apply-templates>
</table>
</xsl:for-each>
</body></html>
</xsl:template>
<xsl:template match="order">
<tr><td><xsl:value-of select="concat(@id, '-', substring(buyer, 1, 8))"/></td>
<xsl:for-each select="item[contains(., 'a')]">
<xsl:sort select="@price" data-type="number"/>
<td><xsl:value-of select="."/>: <xsl:value-of select="format-number(@price * 1.19, '0.00')"/></td>
</xsl:for-each></tr>
</xsl:template>
</xsl:stylesheet>
