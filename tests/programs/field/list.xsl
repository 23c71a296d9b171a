<?xml version="1.0"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="yes"/>
<xsl:key name="kind" match="item" use="@kind"/>
<xsl:template match="/list"><html><body><h1><xsl:value-of select="count(item)"/></h1>
<xsl:for-each select="item[generate-id() = generate-id(key('kind', @kind)[1])]"><xsl:sort select="@kind"/>
<h2><xsl:value-of select="@kind"/></h2><xsl:apply-templates select="key('kind', @kind)"><xsl:sort select="." order="descending"/></xsl:apply-templates>
</xsl:for-each></body></html></xsl:template>
<xsl:template match="item"><p><xsl:attribute name="n"><xsl:number/></xsl:attribute><xsl:value-of select="concat(translate(., 'abc', 'ABC'), ' ', format-number(@n div 7, '0.00'))"/></p></xsl:template>
</xsl:stylesheet>
